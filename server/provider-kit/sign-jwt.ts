/** A signed JSON Web Token. `sign` gives the signature of the text before it. Source: rfc-editor.org/rfc/rfc7515 */
export function signJwt(header: object, claims: object, sign: (text: string) => Buffer): string {
  const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign(text).toString('base64url')}`
}
