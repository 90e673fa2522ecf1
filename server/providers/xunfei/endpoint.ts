import { createHmac } from 'node:crypto'

/** One version of Spark: its WebSocket path and its domain. */
export interface SparkVersion {
  readonly path: string
  readonly domain: string
  readonly outputTokensMax: number
  /** Older versions reject system messages. */
  readonly knowsSystem: boolean
  readonly acceptsImages: boolean
}

const older = { outputTokensMax: 4_096, knowsSystem: false, acceptsImages: false }
const newer = { outputTokensMax: 8_192, knowsSystem: true, acceptsImages: false }
const vision = { path: '/v2.1/image', outputTokensMax: 8_192, knowsSystem: false, acceptsImages: true }

/** Source: xfyun.cn/doc/spark/Web.html and xfyun.cn/doc/spark/ImageUnderstanding.html */
const VERSIONS: Readonly<Record<string, SparkVersion>> = {
  'v1.1': { path: '/v1.1/chat', domain: 'lite', ...older },
  'v2.1': { path: '/v2.1/chat', domain: 'generalv2', ...older },
  'v3.1': { path: '/v3.1/chat', domain: 'generalv3', ...older },
  'v3.5': { path: '/v3.5/chat', domain: 'generalv3.5', ...newer },
  'v4.0': { path: '/v4.0/chat', domain: '4.0Ultra', ...newer },
  'pro-128k': { path: '/chat/pro-128k', domain: 'pro-128k', ...newer, outputTokensMax: 4_096 },
  'max-32k': { path: '/chat/max-32k', domain: 'max-32k', ...newer },
  image: { domain: 'image', ...vision },
  imagev3: { domain: 'imagev3', ...vision },
}
const LEAST = 'v1.1'
const AFTER_THE_DASH = /^[^-]+-(.+)$/
const LOOKS_LIKE_ONE = /^v\d/

/** The version that the model name selects, else the channel's. A name may be the domain itself, e.g. `4.0Ultra`. */
export function resolveSparkVersion(model: string, other: string): SparkVersion {
  const named = AFTER_THE_DASH.exec(model)?.[1] ?? ''
  const known = versionNamed(model) ?? versionNamed(named)
  return known ?? otherVersion(LOOKS_LIKE_ONE.test(named) ? named : other || LEAST)
}

const versionNamed = (name: string): SparkVersion | undefined =>
  Object.entries(VERSIONS).find(([version, { domain }]) => version === name || domain === name)?.[1]

/** Later versions follow the same pattern. */
const otherVersion = (version: string): SparkVersion =>
  versionNamed(version) ?? { ...newer, path: `/${version}/chat`, domain: `general${version}` }

interface SparkSigning {
  readonly apiKey: string
  readonly apiSecret: string
  readonly nowSeconds: number
}

/**
 * The URL with its signature, valid for five minutes. It contains the key's name; the secret is only used to sign.
 * Source: xfyun.cn/doc/spark/general_url_authentication.html
 */
export function toSignedUrl(url: string, { apiKey, apiSecret, nowSeconds }: SparkSigning): string {
  const { host, pathname } = new URL(url)
  const date = new Date(nowSeconds * 1000).toUTCString()
  const text = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`
  const signature = createHmac('sha256', apiSecret).update(text).digest('base64')
  const authorization = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
  const query = new URLSearchParams({
    authorization: Buffer.from(authorization).toString('base64'),
    date,
    host,
  })
  return `${url}?${query}`
}
