import { describe, expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, fill, openPage, SELF } from '#console/testing/open-page.tsx'
import { getUser } from '#contract/entities/user.ts'
import { ROLE } from '#contract/enums.ts'
import { listGroups } from '#contract/models.ts'
import { listAuditLog } from '#features/audit-log/contract/audit-log.ts'
import { listBudgets } from '#features/budgets/contract.ts'
import { createUser, searchUsers, updateUser } from '../contract.ts'

closePages()

const PASSWORD = 'a good password'
const ALICE = { ...SELF, id: 7, username: 'alice', display_name: 'Alice', role: ROLE.user, quota: 5_000_000 }

const sheet = async () => within(await screen.findByRole('dialog'))

const userGateway = () =>
  fakeGateway()
    .on(searchUsers, () => ({ items: [ALICE], total: 1, page: 1, page_size: 10 }))
    .on(getUser, () => ALICE)
    .on(listGroups, () => ['default', 'vip'])
    .on(listBudgets, () => [])
    .on(listAuditLog, () => ({ items: [], total: 0, page: 1, page_size: 5 }))

describe('the form of a user', () => {
  test('requires name and password and keeps the input when the server refuses', async () => {
    const gateway = userGateway().on(createUser, () => {
      throw new Refusal('the username is taken')
    })
    const user = await openPage('/user/add')
    const form = await sheet()
    await user.click(await form.findByRole('button', { name: 'Create' }))
    const summary = await form.findByRole('alert')
    expect(summary.textContent).toContain('2 fields need your attention')
    expect(summary.textContent).toContain('Username: Enter a username and password')
    expect(gateway.sent(createUser)).toEqual([])
    await fill(user, screen.getByLabelText(/^Username/), 'admin')
    await fill(user, screen.getByLabelText(/^Password/, { selector: 'input' }), PASSWORD)
    await user.click(form.getByRole('button', { name: 'Create' }))
    await form.findByText(/the username is taken/)
    expect(form.getByLabelText(/^Username/)).toHaveProperty('value', 'admin')
    expect(gateway.sent(createUser)[0]?.body).toMatchObject({ username: 'admin', password: PASSWORD })
  })

  test('asks before unsaved input is discarded and keeps it', async () => {
    const gateway = userGateway()
    const user = await openPage('/user/edit/7')
    await fill(user, await screen.findByLabelText(/^Display name/), 'half done')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Keep editing' }))
    expect(screen.getByLabelText(/^Display name/)).toHaveProperty('value', 'half done')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(gateway.sent(updateUser)).toEqual([])
  })
})
