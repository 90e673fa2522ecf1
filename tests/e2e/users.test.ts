import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { createUser, listUsers, manageUser } from '#features/users/contract.ts'
import { insertUserIfNew } from '#server/db/accounts/users.ts'
import { type AdminClient, signIn } from '../harness/api-client.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const PASSWORD = 'a good password'

let admin: AdminClient

describeConsole()

beforeAll(async () => {
  await add('admin')
  await site.root.call(manageUser, { body: { id: await idOf('admin'), action: 'promote' } })
  admin = await signIn(site.gateway.url, { username: 'admin', password: PASSWORD })
})

beforeEach(() => openAs(site.root))

const add = (username: string) => site.root.call(createUser, { body: { username, password: PASSWORD } })
const users = async () => (await site.root.call(listUsers, { query: { p: 1, page_size: 100 } })).items
const userNamed = async (name: string) => {
  const user = (await users()).find(({ username }) => username === name)
  if (!user) throw new Error(`expected the user ${name}, found none`)
  return user
}
const idOf = async (name: string) => (await userNamed(name)).id
const rowOf = (name: string) => page.getByRole('row', { name, exact: true })
const sheet = () => page.getByRole('dialog')

async function openUsers(path = '/user'): Promise<void> {
  await page.goto(site.gateway.url + path)
  await page.locator('h1', { hasText: 'Users' }).waitFor()
}

async function pickFromMenu(name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('adding', () => {
  test('creates a user of role 1 who can sign in', async () => {
    await openUsers()
    await page.getByRole('button', { name: 'New user' }).click()
    await sheet().getByLabel('Username').fill('newcomer')
    await sheet().getByLabel('Display name').fill('The New One')
    await sheet().getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.keyboard.press('Control+Enter')
    await page.getByText('User created').waitFor()
    await rowOf('newcomer').getByText('The New One').waitFor()
    expect(new URL(page.url()).pathname).toBe('/user')
    const client = await signIn(site.gateway.url, { username: 'newcomer', password: PASSWORD })
    expect((await client.call(getSelf)).role).toBe(1)
  })
})

describe('editing', () => {
  test('adds and deducts quota in a dialog with a reason that the ledger stores', async () => {
    const { id } = await add('wealthy')
    await openUsers(`/user/edit/${id}`)
    await sheet().getByRole('button', { name: 'Adjust balance' }).click()
    const dialog = page.getByRole('dialog', { name: 'Adjust the balance of wealthy' })
    await dialog.getByRole('button', { name: '+$10', exact: true }).click()
    await dialog.getByText('$10.000000').waitFor()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await sheet().getByLabel('Reason').fill('paid by invoice')
    await sheet().getByRole('button', { name: 'Save' }).click()
    await page.getByText('User saved').waitFor()
    expect((await userNamed('wealthy')).quota).toBe(5_000_000)
    const posted = await inDatabase(site.gateway, db =>
      db
        .selectFrom('postings')
        .select(['amount', 'reason'])
        .where('reason', '=', 'paid by invoice')
        .execute(),
    )
    expect(posted.map(({ amount }) => Math.abs(Number(amount)))).toContain(5_000_000)

    await page.getByRole('button', { name: 'Edit wealthy' }).click()
    await sheet().getByRole('button', { name: 'Adjust balance' }).click()
    await dialog.getByLabel('Amount to add').fill('-6000000')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('The result cannot be below 0').waitFor()
    await dialog.getByLabel('Amount to add').fill('-1000000')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await sheet().getByRole('button', { name: 'Save' }).click()
    await page.getByText('User saved').first().waitFor()
    await rowOf('wealthy').getByText('$8.00').waitFor()
    expect((await verifyLedger({ DATA_DIR: site.gateway.dataDir })).drift).toBe(0)
  })
})

describe('role and status', () => {
  test('can be promoted, demoted, disabled and enabled, which the row reflects', async () => {
    await add('climber')
    await openUsers()
    await pickFromMenu('climber', 'Make administrator')
    await page.getByRole('dialog').getByRole('button', { name: 'Make administrator' }).click()
    await rowOf('climber').getByText('Administrator').waitFor()
    await pickFromMenu('climber', 'Make ordinary user')
    await page.getByRole('dialog').getByRole('button', { name: 'Make ordinary user' }).click()
    await rowOf('climber').getByText('User', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Disable climber' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await rowOf('climber').getByText('Banned').waitFor()
    await page.getByRole('button', { name: 'Enable climber' }).click()
    await rowOf('climber').getByText('Active').waitFor()
  })

  test('can be deleted after the name is typed, which leaves no actions', async () => {
    await add('leaver')
    await openUsers()
    await pickFromMenu('leaver', 'Delete')
    const question = page.getByRole('dialog', { name: 'Delete leaver?' })
    expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await question.getByLabel('Type the username leaver to confirm').fill('leaver')
    await question.getByRole('button', { name: 'Delete' }).click()
    await rowOf('leaver').getByText('Deleted').waitFor()
    expect(await rowOf('leaver').getByRole('button').count()).toBe(0)
  })

  test('cannot be changed by an administrator for itself or its peers', async () => {
    await openAs(admin)
    await openUsers()
    await rowOf('admin').waitFor()
    expect(await rowOf('root').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Disable admin' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'View admin' }).click()
    await sheet().getByText('Edit your own account in the personal settings.').waitFor()
    await page.keyboard.press('Escape')
    await add('ordinary')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'More actions for ordinary' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Make administrator' }).count()).toBe(0)
  })

  test('are hidden from a regular user', async () => {
    await add('nobody')
    const client = await signIn(site.gateway.url, { username: 'nobody', password: PASSWORD })
    await openAs(client)
    await page.goto(`${site.gateway.url}/user`)
    await page.locator('h1', { hasText: 'No permission' }).waitFor()
  })
})

test('searches, filters and sorts the list and keeps all of it in the URL', async () => {
  await add('zelda')
  await openUsers('/user?status=-1')
  await page.getByText('Deleted').first().waitFor()
  await openUsers('/user?role=100')
  await rowOf('root').waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByLabel('Search ID, username, display name or email').fill('zel')
  await page.getByText('1-1 of 1').waitFor()
  await rowOf('zelda').waitFor()
  await page.getByRole('button', { name: 'Sort by Balance' }).click()
  await page.waitForURL(/[?&]sort=-quota(&|$)/)
  await openUsers('/user?sort=-quota')
  await rowOf('root').waitFor()
  const shown = await page
    .locator('tbody tr')
    .evaluateAll(rows => rows.map(row => row.getAttribute('aria-label')))
  const balances = new Map((await users()).map(({ username, quota }) => [username, quota]))
  const quotas = shown.map(name => balances.get(name ?? '') ?? -1)
  expect(quotas).toEqual(quotas.toSorted((a, b) => b - a))
  expect(quotas[0]).toBeGreaterThan(quotas.at(-1) ?? 0)
})

describe('many users', () => {
  beforeAll(async () => {
    await inDatabase(site.gateway, async db => {
      for (let index = 0; index < 200; index += 1)
        await insertUserIfNew(db, {
          username: `many${index}`,
          display_name: '',
          password_hash: '',
          must_change_password: 0,
          role: 1,
          group: 'default',
          aff_code: `many${index}`,
          created_at: 1,
        })
    })
  })

  test('move to a group in five clicks', async () => {
    await page.goto(`${site.gateway.url}/user?q=many`)
    await page.getByText('1-10 of 200').waitFor()
    await page.getByRole('checkbox', { name: 'Select this page' }).click()
    await page.getByRole('button', { name: 'Select all 200 that match' }).click()
    await page.getByRole('button', { name: 'Move to group' }).click()
    await page.getByRole('menuitem', { name: 'vip', exact: true }).click()
    await page.getByRole('button', { name: 'Move to group vip' }).click()
    await page.getByText('200 changed').waitFor()
    const moved = await inDatabase(site.gateway, db =>
      db
        .selectFrom('users')
        .select('id')
        .where('group', '=', 'vip')
        .where('username', 'like', 'many%')
        .execute(),
    )
    expect(moved).toHaveLength(200)
  })

  test('get quota with a reason', async () => {
    await page.goto(`${site.gateway.url}/user?q=many1`)
    await page.getByRole('checkbox', { name: 'Select this page' }).click()
    await page.getByRole('button', { name: 'Adjust balance' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Adjust balance' }).click()
    await dialog.getByText('Enter a reason').waitFor()
    await dialog.getByRole('button', { name: '+$1', exact: true }).click()
    await dialog.getByLabel('Reason').fill('spring')
    await dialog.getByRole('button', { name: 'Adjust balance' }).click()
    await page.getByText('10 changed').waitFor()
  })
})
