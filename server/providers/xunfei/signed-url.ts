import { createHmac } from 'node:crypto'

export interface SparkSigning {
  readonly apiKey: string
  readonly apiSecret: string
  readonly nowSeconds: number
}

/**
 * The address with the signature that Spark reads from it, good for five minutes. It holds the name of the key, and the secret
 * only as what it signs. Source: xfyun.cn/doc/spark/general_url_authentication.html
 */
export function toSignedUrl(address: string, { apiKey, apiSecret, nowSeconds }: SparkSigning): string {
  const { host, pathname } = new URL(address)
  const date = new Date(nowSeconds * 1000).toUTCString()
  const text = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`
  const signature = createHmac('sha256', apiSecret).update(text).digest('base64')
  const authorization = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
  const query = new URLSearchParams({
    authorization: Buffer.from(authorization).toString('base64'),
    date,
    host,
  })
  return `${address}?${query}`
}
