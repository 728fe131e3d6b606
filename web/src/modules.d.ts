declare module "amble:palette" {
  const palette: { readonly curves: readonly string[]; readonly [name: string]: string | readonly string[] };
  export default palette;
}
declare module "*.css";
declare module "gltf-validator" {
  interface Report {
    issues: { numErrors: number; numWarnings: number; messages: unknown[] };
    info: { animationCount: number };
  }
  export function validateBytes(bytes: Uint8Array, options?: { maxIssues?: number }): Promise<Report>;
}
