import { z } from 'zod'
import { apiErrors } from '#server/core/api-error.ts'
import { KIB } from '#server/core/limits.ts'
import type { SafeFetch } from '#server/http-client/safe-fetch.ts'

const RESPONSE_TIMEOUT_MS = 8000
const RESPONSE_BYTES_MAX = 512 * KIB
const NOTES_CHARS_MAX = 20_000
const SECOND_MS = 1000
const VERSION = /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/

const releaseError = apiErrors('release', {
  no_feed: { zh: '请先填写更新地址', en: 'enter the release feed URL first' },
  unreachable: { zh: '检查更新失败：{reason}', en: 'the update check failed: {reason}' },
  unreadable: {
    zh: '更新地址返回的内容不是版本信息',
    en: 'the release feed did not return a release',
  },
})

/** The fields of a release that the gateway reads. Source: docs.github.com, "Get the latest release" */
const ReleaseJson = z.object({
  tag_name: z.string().trim().regex(VERSION),
  html_url: z.url({ protocol: /^https$/ }).catch(''),
  body: z.string().nullish().catch(''),
  published_at: z.iso.datetime({ offset: true }).nullish().catch(undefined),
})

export interface LatestRelease {
  /** Without the `v` of its tag. */
  readonly version: string
  /** The release page (https); empty for none. */
  readonly url: string
  /** Untrusted Markdown. */
  readonly notes: string
  /** Unix seconds; 0 when unknown. */
  readonly publishedAt: number
}

/** Fetches the latest release of a feed. Throws release.no_feed, release.unreachable or release.unreadable. */
export type FetchLatestRelease = (feedUrl: string, runningVersion: string) => Promise<LatestRelease>

export function createReleaseFeed(safeFetch: SafeFetch): FetchLatestRelease {
  return async (feedUrl, runningVersion) => {
    if (feedUrl === '') throw releaseError('no_feed')
    const result = await safeFetch({
      url: feedUrl,
      headers: { accept: 'application/json', 'user-agent': `Tollgate/${runningVersion}` },
      bytesMax: RESPONSE_BYTES_MAX,
      timeoutMs: RESPONSE_TIMEOUT_MS,
    })
    if (result.kind === 'failure') throw releaseError('unreachable', { reason: result.reason })
    if (result.status !== 200) throw releaseError('unreachable', { reason: `HTTP ${result.status}` })
    return readRelease(result.bytes)
  }
}

function readRelease(bytes: Uint8Array): LatestRelease {
  const parsed = ReleaseJson.safeParse(parseJson(bytes))
  if (!parsed.success) throw releaseError('unreadable')
  const { tag_name: tag, html_url: url, body, published_at: published } = parsed.data
  return {
    version: tag.replace(/^v/, ''),
    url,
    notes: (body ?? '').slice(0, NOTES_CHARS_MAX),
    publishedAt: published ? Math.floor(Date.parse(published) / SECOND_MS) : 0,
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
