export function watchSpeed(): () => number;
export function crowded(load: number, cores: number): string | undefined;
export function budget(cpuSeconds: number, unit: number): { readonly ok: boolean; readonly text: string };
