import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { insertTask } from '#server/testing/insert-task.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { setOptions } from '../harness/set-options.ts'

let anna: AdminClient

const now = Date.now()
const IMAGE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const SONGS = JSON.stringify([{ id: 'song-1', title: 'Rain', audio_url: 'https://cdn.example/rain.mp3' }])

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, { MjForwardUrlEnabled: false })
  anna = await addUser(site.gateway, { username: 'anna', wallet: 1000 })
  const times = { submit_time_ms: now - 90_000, start_time_ms: now - 80_000, finish_time_ms: now - 10_000 }
  const drawing = { user_id: anna.userId, channel_id: 7, ...times }
  const music = { user_id: anna.userId, platform: 'suno', channel_id: 8, detail: SONGS, ...times }
  await inDatabase(site.gateway, async db => {
    await insertTask(db, {
      ...drawing,
      task_id: 'mj-done',
      action: 'IMAGINE',
      detail: JSON.stringify({ imageUrl: IMAGE, promptEn: 'a lighthouse' }),
    })
    await insertTask(db, {
      ...drawing,
      task_id: 'mj-broken',
      action: 'UPSCALE',
      status: 'FAILURE',
      fail_reason: 'the provider refused the prompt',
    })
    await insertTask(db, {
      ...drawing,
      task_id: 'mj-lost',
      action: 'ZOOM',
      detail: JSON.stringify({ imageUrl: 'data:image/gif;base64,AAAA', prompt: 'a lost lighthouse' }),
    })
    await insertTask(db, { ...drawing, task_id: '', action: 'PAN', status: 'NOT_START', finish_time_ms: 0 })
    await insertTask(db, { ...music, task_id: 'music-1', action: 'MUSIC', status: 'SUCCESS' })
    await insertTask(db, {
      ...music,
      user_id: site.root.userId,
      task_id: 'lyrics-1',
      action: 'LYRICS',
      status: 'IN_PROGRESS',
      finish_time_ms: 0,
      detail: '{}',
    })
  })
})

beforeEach(() => openAs(site.root))

const rowOf = (name: string) => page.getByRole('row', { name, exact: true })
const dialog = () => page.getByRole('dialog')

async function open(path: string, heading: string): Promise<void> {
  await page.goto(site.gateway.url + path)
  await page.locator('h1', { hasText: heading }).waitFor()
}

describe('drawings', () => {
  test('show channel, submission result and the callback notice to an administrator', async () => {
    await open('/midjourney', 'Drawings')
    await rowOf('mj-done').getByRole('link', { name: 'Open channel 7' }).waitFor()
    await page.getByRole('columnheader', { name: 'Submission' }).waitFor()
    await page.getByText('callbacks are turned off').waitFor()
    expect(await rowOf('mj-done').getByText('80 s').count()).toBe(1)
  })

  test('show a user their own drawings without channel and submission result', async () => {
    await openAs(anna)
    await open('/midjourney', 'Drawings')
    await rowOf('mj-broken').waitFor()
    expect(await page.getByRole('columnheader', { name: 'Channel' }).count()).toBe(0)
    expect(await page.getByRole('columnheader', { name: 'Submission' }).count()).toBe(0)
    expect(await page.getByText('callbacks are turned off').count()).toBe(0)
  })

  test('scroll only the table sideways, not the page', async () => {
    await page.setViewportSize({ width: 610, height: 800 })
    await open('/midjourney', 'Drawings')
    await rowOf('mj-done').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })

  test('distinguish images that fail to load', async () => {
    await open('/midjourney', 'Drawings')
    const lost = rowOf('mj-lost').getByRole('button', { name: /^The image cannot be displayed/ })
    await lost.waitFor()
    expect(await lost.locator('img').count()).toBe(0)
    expect(await rowOf('mj-done').locator('img').count()).toBe(1)
    await lost.click()
    await dialog().getByText('The image cannot be displayed here').waitFor()
  })

  test('offer no id to copy before the provider assigns one', async () => {
    await open('/midjourney?action=PAN', 'Drawings')
    await page.getByText('1-1 of 1').waitFor()
    expect(await page.getByRole('button', { name: /^Copy task ID/ }).count()).toBe(0)
  })

  test('open a long error in full', async () => {
    await open('/midjourney?status=FAILURE', 'Drawings')
    await page.getByText('1-1 of 1').waitFor()
    await rowOf('mj-broken').getByRole('button', { name: 'the provider refused the prompt' }).click()
    await dialog().getByText('the provider refused the prompt').waitFor()
    await dialog().getByRole('button', { name: 'Copy' }).waitFor()
  })

  test('filter by id and kind and keep both in the URL', async () => {
    await open('/midjourney', 'Drawings')
    await page.getByLabel('Task ID').first().fill('mj-done')
    await page.getByText('1-1 of 1').waitFor()
    expect(new URL(page.url()).searchParams.get('mj_id')).toBe('mj-done')
    await page.goto(`${site.gateway.url}/midjourney?action=REROLL`)
    await page.getByText('No matching drawings').waitFor()
  })

  test('reject an end before the start', async () => {
    await open('/midjourney', 'Drawings')
    await page.getByRole('button', { name: /^Time/ }).click()
    await page.getByLabel('From').fill('2026-01-02 00:00:00')
    await page.getByLabel('To', { exact: true }).fill('2026-01-01 00:00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('The end must not be before the start').waitFor()
  })

  test('show a gallery of images that open enlarged', async () => {
    await open('/midjourney', 'Drawings')
    await page.getByRole('button', { name: 'Gallery' }).click()
    await page.getByText('Failed').waitFor()
    expect(new URL(page.url()).searchParams.get('view')).toBe('gallery')
  })
})

describe('tasks', () => {
  test('open songs with players and the full JSON', async () => {
    await open('/task', 'Tasks')
    await rowOf('music-1').getByText('Music', { exact: true }).waitFor()
    expect(await rowOf('music-1').getByText('80 s').count()).toBe(1)
    await page.getByRole('button', { name: 'Open task music-1' }).click()
    expect(await dialog().locator('audio').getAttribute('src')).toBe('https://cdn.example/rain.mp3')
    await dialog().getByText('"task_id": "music-1"').waitFor()
  })

  test('show no end and no duration for a running task', async () => {
    await open('/task', 'Tasks')
    await rowOf('lyrics-1').getByText('Not finished').waitFor()
    expect(await rowOf('lyrics-1').textContent()).not.toContain('NaN')
  })

  test('filter by kind and status and show users only their own', async () => {
    await open('/task?status=SUCCESS', 'Tasks')
    await rowOf('music-1').waitFor()
    expect(await rowOf('lyrics-1').count()).toBe(0)
    await openAs(anna)
    await open('/task', 'Tasks')
    await page.getByText('1-1 of 1').waitFor()
    expect(await page.getByRole('columnheader', { name: 'Channel' }).count()).toBe(0)
  })
})
