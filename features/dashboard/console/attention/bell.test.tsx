import { expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import type { UserEvent } from '@testing-library/user-event'
import { closePages, fakeGateway, openPage } from '#console/testing/open-page.tsx'
import { listAuditLog } from '#features/audit-log/contract/audit-log.ts'
import { listChannelHealth } from '#features/channel-health/contract.ts'
import { getDiskForecast } from '#features/doctor/contract.ts'

closePages()

const PAGE = '/audit'
const bells = (name: string) => screen.queryAllByRole('button', { name })

/** A gateway whose disk is full in some days; null: never. */
const gatewayWithDisk = (days: () => number | null) =>
  fakeGateway()
    .on(listAuditLog, () => ({ items: [], total: 0, page: 1, page_size: 10 }))
    .on(getDiskForecast, () => ({ free_bytes: 1, full_in_days: days() }))

/** The bell loads with the first key. */
async function openWithBell(): Promise<UserEvent> {
  const user = await openPage(PAGE)
  await user.keyboard('{Shift}')
  return user
}

test('counts what needs attention until it is read, and names it with a link', async () => {
  gatewayWithDisk(() => 3)
  const user = await openWithBell()
  await user.click(await screen.findByRole('button', { name: 'What needs attention: 1 unread' }))
  const list = within(await screen.findByRole('region', { name: 'Needs attention' }))
  const link = list.getByRole('link', { name: 'At the pace of the last week, the disk is full in 3 days' })
  expect(link.getAttribute('href')).toBe('/log')
  expect(list.getAllByText('Unread').length).toBe(1)
  await user.keyboard('{Escape}')
  await waitFor(() => expect(bells('What needs attention').length).toBe(1))
})

test('stays quiet while nothing is wrong', async () => {
  gatewayWithDisk(() => null)
  const user = await openWithBell()
  await user.click(await screen.findByRole('button', { name: 'What needs attention' }))
  await screen.findByText('All clear: nothing is wrong with channels, prices and backups')
})

test('is not for users, who cannot mend it', async () => {
  const gateway = fakeGateway({ self: { role: 1 } })
  const user = await openPage('/no-page')
  await user.keyboard('{Shift}')
  await screen.findByRole('button', { name: 'User menu' })
  expect(bells('What needs attention').length).toBe(0)
  expect(gateway.sent(listChannelHealth)).toEqual([])
})
