import { expect, test } from 'bun:test'
import { renderAuditReport } from './verify.ts'

const COUNTS = {
  users: 1,
  tokens: 1,
  channels: 1,
  postings: 6,
  charges: 1,
  openHolds: 1,
  walletsBelowZero: 0,
  unloggedCharges: 0,
}
const BALANCED = { drift: 0, findings: [], requests: [], counts: COUNTS }

test('says of balanced books what was counted, also by features', () => {
  const lines = renderAuditReport(BALANCED, [{ drift: 0, counts: { budgets: 3 }, lines: [] }]).split('\n')
  expect(lines).toContain('postings              6')
  expect(lines).toContain('budgets               3')
  expect(lines.at(-1)).toBe('The books balance.')
})

test('names what differs, and adds up the differences of features', () => {
  const finding = { balance: 'users.quota', owner: 7, found: 1, expected: 3 }
  const report = renderAuditReport({ ...BALANCED, drift: 2, findings: [finding] }, [
    { drift: 1, lines: ['the audit log lacks row 4'] },
  ])
  expect(report).toContain('drift                 3')
  expect(report).toContain('users.quota of 7 is 1, must be 3')
  expect(report).toContain('the audit log lacks row 4')
  expect(report).toEndWith('The books do not balance.')
})
