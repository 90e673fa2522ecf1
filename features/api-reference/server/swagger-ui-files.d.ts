/** `with { type: 'file' }` imports the path of a file, which is a virtual one inside the compiled executable. */
declare module 'swagger-ui-dist/*' {
  const path: string
  export = path
}
