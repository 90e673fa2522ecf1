import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { OrganizationRole } from '#contract/enums.ts'
import { findUser } from '#server/db/accounts/users.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { feature } from './index.ts'
import { insertMember } from './queries/members.ts'

let opened: TestNotifications
let acme: number
beforeEach(async () => {
  opened = await TestNotifications.open()
  acme = await opened.addUser(900, { email: '', setting: opened.webhookSetting() })
  const columns = { kind: 'organization', display_name: 'Acme' } as const
  await opened.db.updateTable('users').set(columns).where('id', '=', acme).execute()
})
afterEach(() => opened.close())

async function addMember(email: string, role: OrganizationRole, status: 'active' | 'ended' = 'active') {
  const user_id = await opened.addUser(0, { email })
  const times = { invited_until: 0, created_at: 1 }
  const member = { organization_id: acme, user_id, name: email, email: '', role, status }
  await insertMember(opened.db, { ...member, ...times, invitation_hash: null })
  return user_id
}

/** Sends a notice to the organisation. False when there is nobody to send it to. */
async function notify(): Promise<boolean> {
  const account = await findUser(opened.db, acme)
  const notifier = account && (await feature.on?.notifierOf?.(account, await opened.openProcess()))
  const texts = { subject: { zh: '余额不足', en: 'Low' }, text: { zh: '请充值', en: 'Top up' } }
  await notifier?.({ type: 'test', values: [], ...texts })
  return notifier !== undefined
}
const recipients = () => opened.mailServer.mails.map(({ to }) => to[0]).sort()

test('an organisation is notified by its webhook, and by its owners, administrators and billing members', async () => {
  await addMember('ann@example.org', 'owner')
  await addMember('adam@example.org', 'admin')
  await addMember('bea@example.org', 'billing')
  await addMember('mia@example.org', 'member')
  await addMember('left@example.org', 'owner', 'ended')
  const banned = await addMember('banned@example.org', 'admin')
  await opened.db.updateTable('users').set({ status: 2 }).where('id', '=', banned).execute()
  expect(await notify()).toBe(true)
  expect(recipients()).toEqual(['adam@example.org', 'ann@example.org', 'bea@example.org'])
  const [mail] = opened.mailServer.mails
  expect(mail?.subject).toContain('Organisation Acme: Low')
  expect(mail?.text).toContain('组织“Acme”：请充值')
  expect(JSON.parse(opened.webhook.requests[0]?.body ?? '{}').title).toContain('Organisation Acme: Low')
})

test('one address gets one mail, and a person is notified as chosen', async () => {
  await opened.db.updateTable('users').set({ setting: '' }).where('id', '=', acme).execute()
  await addMember('bea@example.org', 'billing')
  await addMember('Bea@example.org', 'admin')
  const setting = JSON.stringify({ notification_language: 'zh', notification_email: 'ops@example.org' })
  const ann = await addMember('ann@example.org', 'owner')
  await opened.db.updateTable('users').set({ setting }).where('id', '=', ann).execute()
  await notify()
  expect(recipients()).toHaveLength(2)
  const mail = opened.mailServer.mails.find(({ to }) => to[0] === 'ops@example.org')
  expect(mail?.subject).toEndWith('组织“Acme”：余额不足')
})

test('it counts as notified when somebody was reached', async () => {
  opened.webhook.handlers['/hook'] = () => new Response('', { status: 500 })
  await expect(notify()).rejects.toMatchObject({ code: 'notice.undelivered' })
  await addMember('ann@example.org', 'owner')
  await notify()
  expect(recipients()).toEqual(['ann@example.org'])
  expect(opened.logged).toContain('a member could not be notified')
})

test('nobody is notified where there is no way', async () => {
  await opened.db.updateTable('users').set({ setting: '' }).where('id', '=', acme).execute()
  expect(await notify()).toBe(false)
})
