import { afterEach, beforeEach, expect, test } from 'bun:test'
import { LOG_TYPE } from '#contract/enums.ts'
import { setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { RECEIPT_LINK_DAYS } from '../contract/receipt-links.ts'
import { readReceiptLink, signReceiptLink } from './receipt-links.ts'

const DAY_MS = 24 * 3600 * 1000
const START_MS = 1_790_000_000_000

const secrets = createSecrets('a secret of the test')
const charged = { id: 4711, type: LOG_TYPE.consumption }

let nowMs = START_MS
let restoreClock: () => unknown
beforeEach(() => {
  nowMs = START_MS
  restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => 0 })
})
afterEach(() => restoreClock())

test('a signed link names its row until it expires', () => {
  const { link, expires_at } = signReceiptLink(charged, secrets)
  expect(expires_at * 1000).toBe(START_MS + RECEIPT_LINK_DAYS * DAY_MS)
  expect(readReceiptLink(link, secrets)).toBe(4711)
  nowMs += RECEIPT_LINK_DAYS * DAY_MS
  expect(() => readReceiptLink(link, secrets)).toThrow('not valid')
})

test('a link with another row, time or signature is rejected, and so is one of another installation', () => {
  const { link } = signReceiptLink(charged, secrets)
  const [id = '', expiresAt = '', signature = ''] = link.split('-')
  const forged = [
    `4712-${expiresAt}-${signature}`,
    `${id}-${Number(expiresAt) + 1}-${signature}`,
    `${id}-${expiresAt}-${signature.slice(0, -1)}`,
    `${id}-${expiresAt}-`,
    `${id}-${expiresAt}`,
    '',
    'x'.repeat(100),
  ]
  for (const text of forged) expect(() => readReceiptLink(text, secrets)).toThrow('not valid')
  expect(() => readReceiptLink(link, createSecrets('another secret'))).toThrow('not valid')
})

test('only charged requests have a receipt', () => {
  for (const type of [LOG_TYPE.topUp, LOG_TYPE.management, LOG_TYPE.failure, LOG_TYPE.rejection])
    expect(() => signReceiptLink({ id: 1, type }, secrets)).toThrow('no such log entry')
})
