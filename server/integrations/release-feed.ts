import { z } from 'zod'
import { KIB } from '../core/limits.ts'
import { apiErrors } from '../core/api-error.ts'
import type { Egress } from '../relay/upstream/safe-fetch.ts'

const ANSWER_TIMEOUT_MS = 8000
const ANSWER_BYTES_MAX = 512 * KIB
const NOTES_CHARS_MAX = 20_000
const MS = 1000
const VERSION = /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/

const refuse = apiErrors('release', {
  no_feed: { zh: '请先填写更新地址', en: 'fill in the address of the releases first' },
  unreachable: { zh: '检查更新失败：{reason}', en: 'the releases could not be asked for: {reason}' },
  unreadable: {
    zh: '更新地址返回的内容不是版本信息',
    en: 'what the address answers describes no release',
  },
})

/** The fields we read of a release. Source: docs.github.com "Get the latest release". */
const ReleaseJson = z.object({
  tag_name: z.string().trim().regex(VERSION),
  html_url: z.url({ protocol: /^https$/ }).catch(''),
  body: z.string().nullish().catch(''),
  published_at: z.iso.datetime({ offset: true }).nullish().catch(undefined),
})

export interface Release {
  /** Without the `v` of its tag. */
  readonly version: string
  /** Its page, https; empty when it has none. */
  readonly url: string
  /** Markdown of strangers. */
  readonly notes: string
  /** Unix seconds; 0 when it is not said. */
  readonly publishedAt: number
}

/** Asks the feed for its latest release. Throws a refusal when there is no feed, no answer or no release in it. */
export type AskRelease = (feedUrl: string, runningVersion: string) => Promise<Release>

export function openReleaseFeed(egress: Egress): AskRelease {
  return async (feedUrl, runningVersion) => {
    if (feedUrl === '') throw refuse('no_feed')
    const answer = await egress({
      url: feedUrl,
      headers: { accept: 'application/json', 'user-agent': `Tollgate/${runningVersion}` },
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: ANSWER_TIMEOUT_MS,
    })
    if (answer.kind === 'failure') throw refuse('unreachable', { reason: answer.reason })
    if (answer.status !== 200) throw refuse('unreachable', { reason: `HTTP ${answer.status}` })
    return readRelease(answer.bytes)
  }
}

function readRelease(bytes: Uint8Array): Release {
  const parsed = ReleaseJson.safeParse(jsonOf(bytes))
  if (!parsed.success) throw refuse('unreadable')
  const { tag_name: tag, html_url: url, body, published_at: published } = parsed.data
  return {
    version: tag.replace(/^v/, ''),
    url,
    notes: (body ?? '').slice(0, NOTES_CHARS_MAX),
    publishedAt: published ? Math.floor(Date.parse(published) / MS) : 0,
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
