import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getLatestRelease, putOptions } from '#contract/options/options.ts'
import { createSafeFetch } from '#server/http-client/safe-fetch.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createReleaseFeed } from './release-feed.ts'

const RELEASE = {
  tag_name: 'v0.10.0',
  html_url: 'https://example.org/releases/0.10.0',
  body: '# What is new',
  published_at: '2026-11-01T10:00:00Z',
  assets: [{ name: 'unread' }],
}

let app: TestApp
let fetchAs: Array<string | null>
let response: () => Response
let feed: Bun.Server<undefined>

beforeEach(async () => {
  fetchAs = []
  response = () => Response.json(RELEASE)
  feed = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      fetchAs.push(request.headers.get('user-agent'))
      return response()
    },
  })
  app = await openTestApp()
  await setFeed(`http://127.0.0.1:${feed.port}/latest`)
})

afterEach(async () => {
  await app.close()
  await feed.stop(true)
})

const setFeed = (value: string) => app.root.call(putOptions, { body: { key: 'UpdateFeedUrl', value } })
const check = () => app.root.call(getLatestRelease)

describe('200', () => {
  test('reports the latest release of the feed with the running version', async () => {
    expect((await check()).data).toEqual({
      running: '0.0.0',
      latest: '0.10.0',
      is_newer: true,
      url: RELEASE.html_url,
      notes: RELEASE.body,
      published_at: Date.parse(RELEASE.published_at) / 1000,
    })
    expect(fetchAs).toEqual(['Tollgate/0.0.0'])
  })

  test.each([
    ['0.9.0', '0.10.0', true],
    ['0.10.0', 'v0.9.0', false],
    ['1.2.3', '1.2.3', false],
    ['1.2.3', '1.2.3-rc.1', false],
    ['1.2.3-rc.1', '1.2.3', true],
    ['1.2.3-rc.2', '1.2.3-rc.10', true],
    ['1.2.3', 'v1.2.3+build.7', false],
  ])('compares version %s with release %s, newer: %p', async (version, tag, isNewer) => {
    const own = await openTestApp({ parts: { installation: { version, startedAt: 0 } } })
    await own.root.call(putOptions, {
      body: { key: 'UpdateFeedUrl', value: `http://127.0.0.1:${feed.port}` },
    })
    response = () => Response.json({ ...RELEASE, tag_name: tag })
    expect((await own.root.call(getLatestRelease)).data.is_newer).toBe(isNewer)
    await own.close()
  })

  test('leaves absent fields and links without https empty', async () => {
    response = () => Response.json({ tag_name: '9.0.0', html_url: 'javascript:alert(1)', body: null })
    expect((await check()).data).toMatchObject({ latest: '9.0.0', url: '', notes: '', published_at: 0 })
  })

  test('fetches nothing without an address', async () => {
    await setFeed('')
    expect(await check()).toMatchObject({ success: false, code: 'release.no_feed' })
    expect(fetchAs).toEqual([])
  })

  test.each([
    ['another status', () => new Response('no', { status: 404 }), 'release.unreachable'],
    ['no JSON', () => new Response('<html>'), 'release.unreadable'],
    ['a tag that is no version', () => Response.json({ tag_name: 'nightly' }), 'release.unreadable'],
    ['an answer without end', () => new Response('x'.repeat(600_000)), 'release.unreachable'],
  ])('reports %s as an error', async (_, given, code) => {
    response = given
    expect(await check()).toMatchObject({ success: false, code })
  })

  test('fetches no address in a private network', async () => {
    const askRelease = createReleaseFeed(createSafeFetch({ allowed: [] }))
    await expect(askRelease(`http://127.0.0.1:${feed.port}`, '1.0.0')).rejects.toMatchObject({
      code: 'release.unreachable',
    })
    expect(fetchAs).toEqual([])
  })

  test('requires a web address', async () => {
    expect(await setFeed('ftp://example.org')).toMatchObject({ success: false })
  })
})

describe('errors', () => {
  test('allows only the super administrator', async () => {
    const admin = await app.addUser({ username: 'boss', role: 'admin' })
    expect(await admin.call(getLatestRelease)).toMatchObject({ success: false })
    expect(await app.visitor.call(getLatestRelease)).toMatchObject({ success: false })
    expect(fetchAs).toEqual([])
  })
})
