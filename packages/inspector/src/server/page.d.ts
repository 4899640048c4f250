/** The page, as its build writes it: see `build.mjs`. */
export declare const html: string;
/** The scripts of the page by their names: `page.js`, which loads `chat.js` when needed. */
export declare const scripts: Readonly<Record<string, string>>;
/** The style sheet of the page. */
export declare const style: string;
/** The icon of the page. */
export declare const icon: string;
