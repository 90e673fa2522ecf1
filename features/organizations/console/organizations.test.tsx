import { expect, test } from 'bun:test'
import { screen, waitFor, within } from '@testing-library/dom'
import { type FakeGateway, Refusal } from '#console/testing/fake-gateway.ts'
import { closePages, fakeGateway, fill, openPage } from '#console/testing/open-page.tsx'
import { listTokens } from '#contract/entities/token.ts'
import { ROLE } from '#contract/enums.ts'
import { listSelfGroups, listUserModels } from '#contract/models.ts'
import {
  type Budget,
  BudgetDraft,
  createBudget,
  listBudgets,
  updateBudget,
} from '#features/budgets/contract.ts'
import { listPricing } from '#features/pricing-page/contract.ts'
import {
  addMembers,
  listMembers,
  type Member,
  removeMember,
  replaceInvitation,
  updateMember,
} from '../contract/members.ts'
import {
  createOrganization,
  getOrganization,
  joinOrganization,
  leaveOrganization,
  listOwnOrganizations,
  type Organization,
  readInvitation,
} from '../contract/organizations.ts'
import { createProject, listProjects, type Project, updateProject } from '../contract/projects.ts'
import { currentOrganization } from './acting.ts'

closePages()

const ACME: Organization = {
  id: 12,
  name: 'Acme',
  role: 'owner',
  is_enabled: true,
  group: 'default',
  member_id: 31,
  members: 2,
  quota: 5_000_000,
  used_quota: 1_000_000,
}

const memberOf = (change: Partial<Member> = {}): Member => ({
  id: 31,
  user_id: 3,
  username: 'ann',
  name: 'Ann',
  email: '',
  role: 'owner',
  status: 'active',
  invited_time: 0,
  joined_time: 1_760_000_000,
  tokens: 1,
  used_quota: 500_000,
  ...change,
})

const BOB = memberOf({ id: 32, user_id: 0, username: '', name: 'Bob', role: 'member', status: 'invited' })

const capOf = (id: number): Budget => ({
  ...BudgetDraft.parse({ subject: 'member', subject_id: id, amount: 5_000_000 }),
  id: 3,
  is_managed: false,
  used: 1_000_000,
  held: 0,
  saved: 0,
  resets_time: 1_764_543_600,
  created_time: 1_760_000_000,
})

const page = { page: 1, page_size: 10 }

/** A gateway with one organisation, in which the reader has a role. */
function organizationGateway(change: Partial<Organization> = {}, mayCreate = false): FakeGateway {
  const organization = { ...ACME, ...change }
  const members = [memberOf({ role: organization.role }), BOB]
  const projects: Project[] = []
  const budgets = [capOf(31)]
  return (
    fakeGateway({ self: { role: ROLE.user } })
      .on(listOwnOrganizations, () => ({ items: [organization], may_create: mayCreate }))
      .on(getOrganization, () => organization)
      .on(listMembers, () => ({ items: members, total: members.length, ...page }))
      .on(listProjects, () => ({ items: projects, total: projects.length, ...page }))
      .on(listBudgets, ({ query }) => {
        const ids = (query.subject_ids ?? query.subject_id)?.split(',')
        return budgets.filter(
          ({ subject, subject_id }) => subject === query.subject && ids?.includes(String(subject_id)),
        )
      })
      .on(createBudget, ({ body }) => {
        const created = { ...capOf(0), used: 0, ...BudgetDraft.parse(body), id: budgets.length + 4 }
        budgets.push(created)
        return created
      })
      .on(createProject, ({ body }) => {
        const made = { id: 4, is_closed: false, created_time: 1, tokens: 0, used_quota: 0, ...body }
        projects.push(made)
        return made
      })
      .on(updateProject, () => undefined)
      // The page of those who act for nobody any more.
      .on(listTokens, () => [], { total: 0, page: 0, page_size: 10 })
      .on(listSelfGroups, () => ({}))
      .on(listUserModels, () => [])
      .on(listPricing, () => [], { group_ratio: {}, usable_group: {} })
  )
}

/** Acts for the organisation, as a reader does on the page that its address leads to. */
async function openAsMember() {
  const user = await openPage('/organization')
  await user.click(await screen.findByRole('button', { name: 'Act for Acme' }))
  await screen.findByRole('heading', { level: 1, name: 'Acme' })
  return user
}

const region = async (name: string) => within(await screen.findByRole('region', { name }))
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('five people get keys with monthly caps in at most 12 clicks and 8 fields', async () => {
  const keys = ['ann', 'bob', 'cid', 'dan', 'eve']
  const gateway = organizationGateway({}, true)
    .on(createOrganization, () => ACME)
    .on(addMembers, ({ body }) =>
      body.people.map(({ name }, index) => ({
        id: 40 + index,
        name,
        invitation: `secret-${name}`,
        token: { id: 50 + index, name, key: `key-${name}` },
      })),
    )
  const user = await openPage('/organization')
  let clicks = 0
  let fields = 0
  const click = async (target: HTMLElement) => {
    clicks += 1
    await user.click(target)
  }
  const type = async (field: HTMLElement, text: string) => {
    clicks += 1
    fields += 1
    await fill(user, field, text)
  }
  await user.keyboard('{Shift}')
  await click(await screen.findByRole('button', { name: 'Switch organisation' }))
  await click(await screen.findByRole('menuitem', { name: 'Create organisation' }))
  const creation = await dialog('Create organisation')
  await type(creation.getByLabelText(/^Name of the organisation/), 'Acme')
  await click(creation.getByRole('button', { name: 'Create organisation' }))
  await click(await screen.findByRole('button', { name: 'Invite members' }))
  const form = await dialog('Invite members')
  await type(form.getByLabelText(/^People/), keys.join('\n'))
  await type(form.getByLabelText('In dollars'), '10')
  await click(form.getByRole('button', { name: 'Invite members' }))
  const made = await dialog('5 people invited')
  for (const name of keys) made.getByText(`sk-key-${name}`)
  made.getByRole('button', { name: 'Download CSV' })
  await click(made.getByRole('button', { name: 'Copy all' }))
  await click(made.getByRole('button', { name: 'Done' }))
  expect(gateway.sent(addMembers).map(({ body }) => body)).toEqual([
    {
      people: keys.map(name => ({ name, email: '' })),
      role: 'member',
      monthly_quota: 5_000_000,
      has_token: true,
    },
  ])
  expect(clicks).toBeLessThanOrEqual(12)
  expect(fields).toBeLessThanOrEqual(8)
})

test('the header says for which organisation the reader acts, and leads back to the own account', async () => {
  organizationGateway()
  const user = await openAsMember()
  const banner = within(screen.getByRole('banner'))
  await user.click(await banner.findByRole('button', { name: 'Acting for Acme' }))
  const item = await screen.findByRole('menuitemradio', { name: 'Acme (Owner)' })
  expect(item.getAttribute('aria-checked')).toBe('true')
  await user.keyboard('{Escape}')
  expect(currentOrganization()).toMatchObject({ id: 12, name: 'Acme', role: 'owner' })
})

/** Watches the calls of the console from now on. `refused`: path of what is answered as to somebody who is no member. */
function watchCalls(refused?: string) {
  const send = globalThis.fetch
  const named = new Map<string, string | null>()
  const watch: typeof send = Object.assign(
    async (url: string | URL | Request, init?: RequestInit) => {
      const { pathname } = new URL(String(url), 'http://console.test')
      named.set(pathname, new Headers(init?.headers).get('X-Tollgate-Organization'))
      if (pathname !== refused) return send(url, init)
      return Response.json({ success: false, code: 'membership.none', message: 'no member' }, { status: 403 })
    },
    { preconnect: () => undefined },
  )
  globalThis.fetch = watch
  return { named, stop: () => (globalThis.fetch = send) }
}

test('calls name the organisation, but those that concern the reader alone', async () => {
  organizationGateway()
  await openPage('/organization')
  const { named, stop } = watchCalls()
  try {
    await openAsMember()
    await waitFor(() => expect(named.get('/api/organization/members')).toBe('12'))
    await screen.findByRole('button', { name: 'Acting for Acme' })
    await waitFor(() => expect(named.has('/api/organization/self')).toBe(true))
    expect(named.get('/api/organization/self')).toBeNull()
    // The balance in the header is that of the organisation.
    await waitFor(() => expect(named.get('/api/user/self')).toBe('12'))
  } finally {
    stop()
  }
})

test('whoever is no longer a member acts for themselves again, and is told', async () => {
  organizationGateway()
  const user = await openPage('/organization')
  const { stop } = watchCalls('/api/organization/')
  try {
    await user.click(await screen.findByRole('button', { name: 'Act for Acme' }))
    await screen.findByText('no member')
    await waitFor(() => expect(currentOrganization()).toBeUndefined())
  } finally {
    stop()
  }
})

test('a page about the reader says that it serves no organisation', async () => {
  organizationGateway()
  await openAsMember()
  await openPage('/setting')
  await screen.findByRole('heading', { level: 1, name: 'No permission' })
  screen.getByText(/Switch from Acme to open it/)
})

test('members show role, state and what they used of their cap', async () => {
  organizationGateway()
  await openAsMember()
  const members = await region('Members')
  await members.findByText('$2.00 of $10.00 used')
  await members.findByText('$1.00 this month, no cap')
  members.getByText('Invitation expired')
  expect(members.queryByRole('button', { name: 'Remove Ann' })).toBeNull()
})

test('one request finds the caps of all members', async () => {
  const gateway = organizationGateway()
  await openAsMember()
  await (await region('Members')).findByText('$2.00 of $10.00 used')
  const queries = gateway.sent(listBudgets).map(({ query }) => query)
  expect(queries.filter(({ subject }) => subject === 'member')).toEqual([
    { subject: 'member', subject_ids: '31,32' },
  ])
})

test('role and cap of a member are changed in one form', async () => {
  const gateway = organizationGateway()
    .on(updateMember, () => undefined)
    .on(updateBudget, () => capOf(31))
  const user = await openAsMember()
  await user.click(await screen.findByRole('button', { name: 'Edit Bob' }))
  const form = await dialog('Edit Bob')
  await user.selectOptions(await form.findByLabelText('Role'), 'billing')
  await fill(user, form.getByLabelText('In dollars'), '4')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await screen.findByText('Saved')
  expect(gateway.sent(updateMember).map(({ params, body }) => [params, body])).toEqual([
    [{ id: '32' }, { name: 'Bob', role: 'billing' }],
  ])
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { subject: 'member', subject_id: 32, amount: 2_000_000, period: 'month', unit: 'quota', time_zone: '' },
  ])
})

type Part = ReturnType<typeof within>

/** Adds a budget of ten dollars a month in the section of budgets. */
async function addBudget(user: Awaited<ReturnType<typeof openPage>>, section: Part, warning = '80') {
  await user.click(await section.findByRole('button', { name: 'Add budget' }))
  const form = await dialog('Add budget')
  await fill(user, form.getByLabelText('In dollars'), '10')
  await fill(user, form.getByLabelText('Warning'), warning)
  await user.click(form.getByRole('button', { name: 'Add budget' }))
}

const sectionOf = async (sheet: Part) => within(await sheet.findByRole('region', { name: 'Budgets' }))

test('the sheet of a member lists budgets beside the cap, which is shown once', async () => {
  const gateway = organizationGateway()
  const user = await openAsMember()
  await user.click(await screen.findByRole('button', { name: 'Edit Ann' }))
  const sheet = await dialog('Edit Ann')
  const budgets = await sectionOf(sheet)
  await budgets.findByText(/No budgets beside the monthly cap/)
  expect(await sheet.findByLabelText('In dollars')).toHaveProperty('value', '10')
  await addBudget(user, budgets)
  await budgets.findByText('Monthly budget')
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { subject: 'member', subject_id: 31, amount: 5_000_000, warn_percent: 80 },
  ])
  expect(budgets.getAllByRole('listitem')).toHaveLength(1)
})

test('a cap that the section adds becomes that of the form, and saving keeps it', async () => {
  const gateway = organizationGateway().on(updateMember, () => undefined)
  const user = await openAsMember()
  await user.click(await screen.findByRole('button', { name: 'Edit Bob' }))
  const sheet = await dialog('Edit Bob')
  await addBudget(user, await sectionOf(sheet), '0')
  await waitFor(() => expect(sheet.getByLabelText('In dollars')).toHaveProperty('value', '10'))
  await user.click(sheet.getByRole('button', { name: 'Save' }))
  await screen.findByText('Saved')
  expect(gateway.sent(createBudget)).toHaveLength(1)
})

test('the page has the budgets of the organisation, the sheet of a project its own', async () => {
  const gateway = organizationGateway()
  const user = await openAsMember()
  const ofAll = await region('Budgets')
  await addBudget(user, ofAll)
  await ofAll.findByText('Monthly budget')
  await ofAll.findByRole('button', { name: 'Edit: Monthly budget' })
  const projects = await region('Projects')
  await user.click(await projects.findByRole('button', { name: 'Create project' }))
  const creation = await dialog('Create project')
  expect(creation.queryByRole('region', { name: 'Budgets' })).toBeNull()
  await fill(user, creation.getByLabelText(/^Name/), 'Course')
  await user.click(creation.getByRole('button', { name: 'Create project' }))
  await user.click(await projects.findByRole('button', { name: 'Edit Course' }))
  await addBudget(user, await sectionOf(await dialog('Edit Course')))
  await waitFor(() => expect(gateway.sent(createBudget)).toHaveLength(2))
  expect(gateway.sent(createBudget).map(({ body }) => [body.subject, body.subject_id])).toEqual([
    ['user', 12],
    ['project', 4],
  ])
})

test('an invitation is made anew, and withdrawn after a question', async () => {
  const gateway = organizationGateway()
    .on(replaceInvitation, () => ({ id: 32, name: 'Bob', invitation: 'anew', token: null }))
    .on(removeMember, () => undefined)
  const user = await openAsMember()
  await user.click(await screen.findByRole('button', { name: 'New invitation link for Bob' }))
  const made = await dialog('1 person invited')
  made.getByText(/\/join\?invitation=anew$/)
  await user.click(made.getByRole('button', { name: 'Done' }))
  await user.click(screen.getByRole('button', { name: 'Remove Bob' }))
  const question = await dialog('Withdraw the invitation of Bob?')
  await user.click(question.getByRole('button', { name: 'Withdraw invitation' }))
  await screen.findByText('Bob removed')
  expect(gateway.sent(removeMember).map(({ params }) => params)).toEqual([{ id: '32' }])
})

test('people that cannot be added keep what was typed', async () => {
  organizationGateway().on(addMembers, () => {
    throw new Refusal('the gateway sends no mail')
  })
  const user = await openAsMember()
  await user.click(await screen.findByRole('button', { name: 'Invite members' }))
  const form = await dialog('Invite members')
  await user.click(form.getByRole('button', { name: 'Invite members' }))
  await form.findByText(/Each line needs a name/)
  await fill(user, form.getByLabelText(/^People/), 'Carl, carl@example.com')
  await user.click(form.getByRole('button', { name: 'Invite members' }))
  await form.findByText('the gateway sends no mail')
  form.getByDisplayValue('Carl, carl@example.com')
})

test('a project has a name, an end and a monthly cap', async () => {
  const gateway = organizationGateway()
  const user = await openAsMember()
  const projects = await region('Projects')
  await user.click(await projects.findByRole('button', { name: 'Create project' }))
  const form = await dialog('Create project')
  await fill(user, form.getByLabelText(/^Name/), 'Course')
  await fill(user, form.getByLabelText('Ends'), '2027-01-31 12:00:00')
  await fill(user, form.getByLabelText('In dollars'), '20')
  await user.click(form.getByRole('button', { name: 'Create project' }))
  await projects.findByText('Course')
  expect(gateway.sent(createProject).map(({ body }) => body)).toMatchObject([
    { name: 'Course', ends_time: new Date(2027, 0, 31, 12).getTime() / 1000 },
  ])
  expect(gateway.sent(createBudget).map(({ body }) => body)).toMatchObject([
    { subject: 'project', subject_id: 4, amount: 10_000_000 },
  ])
})

test('a member sees no members and leaves after a question', async () => {
  const gateway = organizationGateway({ role: 'member', quota: null, used_quota: null }).on(
    leaveOrganization,
    () => undefined,
  )
  const user = await openAsMember()
  await screen.findByText(/Administrators manage members/)
  expect(screen.queryByRole('region', { name: 'Members' })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Budgets' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete organisation' })).toBeNull()
  await openPage('/organization')
  await user.click(await screen.findByRole('button', { name: 'Leave organisation' }))
  const question = await dialog('Leave Acme?')
  await user.click(question.getByRole('button', { name: 'Leave organisation' }))
  await waitFor(() => expect(gateway.sent(leaveOrganization)).toHaveLength(1))
  await screen.findByText('You have left Acme')
  expect(currentOrganization()).toBeUndefined()
})

test('the link of an invitation says to what it leads, and joins', async () => {
  const gateway = organizationGateway()
    .on(readInvitation, () => ({ organization: 'Acme', role: 'member' as const }))
    .on(joinOrganization, () => ACME)
  const user = await openPage('/join?invitation=f3Jq')
  await screen.findByText(/You are invited to Acme with the role Member/)
  await user.click(screen.getByRole('button', { name: 'Join' }))
  await screen.findByRole('heading', { level: 1, name: 'Acme' })
  await screen.findByText('Joined Acme')
  expect(gateway.sent(joinOrganization).map(({ body }) => body)).toEqual([{ invitation: 'f3Jq' }])
})
