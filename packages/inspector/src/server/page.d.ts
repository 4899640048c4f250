/** The page, as its build writes it: see `build.mjs`. */
export declare const html: string;
/** The script of the page. */
export declare const script: string;
/** The style sheet of the page. */
export declare const style: string;
/** The icon of the page. */
export declare const icon: string;
