import { afterEach, expect, test } from 'bun:test'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import { createBackup, getBackups } from '../contract.ts'
import { createRoutes } from './index.ts'

const STATE = {
  is_configured: true,
  interval_hours: 24,
  keep: 7,
  is_running: false,
  failure: '',
  backups: [{ name: 'tollgate-2026-11-26T00-00-00Z.db', bytes: 5, created_at: 1 }],
}

let app: TestApp
afterEach(() => app.close())

/** An app whose backups start or not. */
async function openApp(state: typeof STATE, isStarting: boolean): Promise<void> {
  app = await openTestApp({
    features: {
      backups: { start: () => ({ routes: createRoutes({ state: () => state, start: () => isStarting }) }) },
    },
  })
}

test('200: lists the backups and starts one', async () => {
  await openApp(STATE, true)
  expect((await app.root.call(getBackups)).data).toEqual(STATE)
  expect(await app.root.call(createBackup)).toMatchObject({ success: true, data: STATE })
})

test.each([
  ['without a folder', { ...STATE, is_configured: false }, /BACKUP_DIR/],
  ['while another is being made', { ...STATE, is_running: true }, /already|正在备份/],
])('rejects a backup %s', async (_, state, message) => {
  await openApp(state, false)
  const response = await app.root.call(createBackup)
  expect(response.success).toBe(false)
  expect(response.message).toMatch(message)
})

test('403: administrators neither list nor make backups', async () => {
  await openApp(STATE, true)
  const admin = await app.addUser({ username: 'admin', role: 'admin' })
  expect((await admin.call(getBackups)).success).toBe(false)
  expect((await admin.call(createBackup)).success).toBe(false)
})
