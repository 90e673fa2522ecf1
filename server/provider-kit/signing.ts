import { createHash, createHmac } from 'node:crypto'

/** The request to sign, and the key to sign it with. */
export interface V4Signing {
  readonly accessKey: string
  readonly secretKey: string
  /** For temporary keys. */
  readonly sessionToken?: string | undefined
  readonly region: string
  readonly service: string
  /** The URL as sent, with its escapes. POST, without a query. */
  readonly url: string
  /** The exact bytes that are sent. */
  readonly body: string | Uint8Array
  readonly nowSeconds: number
}

/**
 * The headers that sign a POST with AWS Signature Version 4. Source:
 * docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signV4(signing: V4Signing): Record<string, string> {
  const { host, pathname } = new URL(signing.url)
  const moment = new Date(signing.nowSeconds * 1000).toISOString().replace(/[-:]|\.\d+/g, '')
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    host,
    'x-amz-date': moment,
    ...(signing.sessionToken && { 'x-amz-security-token': signing.sessionToken }),
  }
  const names = Object.keys(headers).join(';')
  const block = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['POST', escapedAgain(pathname), '', block.join(''), names, sha256(signing.body)].join(
    '\n',
  )
  const scope = [moment.slice(0, 8), signing.region, signing.service, 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', moment, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${signing.secretKey}`))
  const { host: _, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${signing.accessKey}/${scope.join('/')}, SignedHeaders=${names}, Signature=${hmac(key, toSign).toString('hex')}`,
  }
}

/** The signature escapes every path segment a second time: `%3A` becomes `%253A`. */
const escapedAgain = (path: string): string => path.split('/').map(escaped).join('/')

const escaped = (segment: string): string =>
  encodeURIComponent(segment).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A signed JSON Web Token. `sign` signs the encoded header and claims. Source: rfc-editor.org/rfc/rfc7515 */
export function signJwt(header: object, claims: object, sign: (text: string) => Buffer): string {
  const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign(text).toString('base64url')}`
}
