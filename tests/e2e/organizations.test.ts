import { beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { addMembers } from '#features/organizations/contract/members.ts'
import { createOrganization } from '#features/organizations/contract/organizations.ts'
import { addUser } from '../harness/add-user.ts'
import { type AdminClient, resume } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { findStructureViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'

describeConsole()

const CLICKS_MAX = 12
const FIELDS_MAX = 8
const PEOPLE = ['Alice', 'Bob', 'Carol', 'Dave', 'Eve']

let anna: AdminClient
beforeAll(async () => {
  anna = await addUser(site.gateway, { username: 'anna', wallet: 20_000_000 })
  await setOptions(site.root, { OrganizationCreators: 'everybody' })
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('a team of five people gets keys with monthly caps in few steps', async () => {
  await openAs(anna)
  await page.goto(`${site.gateway.url}/token`)
  await opened.settled()
  await page.keyboard.press('Shift')
  let clicks = 0
  let fields = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const fill = async (field: Locator, text: string) => {
    fields += 1
    await click(field)
    await field.fill(text)
  }
  const dialog = page.getByRole('dialog')
  await click(button('Switch organisation'))
  await click(page.getByRole('menuitem', { name: 'Create organisation' }))
  await fill(dialog.getByLabel('Name of the organisation'), 'Acme')
  await click(dialog.getByRole('button', { name: 'Create organisation' }))
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
  await click(button('Invite members'))
  await fill(dialog.getByLabel('People'), PEOPLE.join('\n'))
  await fill(dialog.getByLabel('In dollars'), '10')
  await click(dialog.getByRole('button', { name: 'Invite members' }))
  await dialog.getByText('5 people invited').waitFor()
  expect(await dialog.getByText(/^sk-/).count()).toBe(PEOPLE.length)
  await click(dialog.getByRole('button', { name: 'Copy all' }))
  await click(dialog.getByRole('button', { name: 'Done' }))
  const members = page.getByRole('region', { name: 'Members' })
  await members
    .getByText('$0.00 of $10.00 used')
    .nth(PEOPLE.length - 1)
    .waitFor()
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
  expect(fields).toBeLessThanOrEqual(FIELDS_MAX)
  await opened.settled()
})

test('a member has budgets beside the cap in the sheet, the organisation on the page', async () => {
  const sheet = page.getByRole('dialog', { name: 'Edit Alice' })
  const add = async (section: Locator) => {
    await section.getByRole('button', { name: 'Add budget' }).click()
    const form = page.getByRole('dialog', { name: 'Add budget' })
    await form.getByLabel('In dollars').fill('25')
    await form.getByRole('button', { name: 'Add budget' }).click()
    await section.getByText('$0.00 of $25.00').first().waitFor()
  }
  await add(page.getByRole('region', { name: 'Budgets' }))
  await button('Edit Alice').click()
  const budgets = sheet.getByRole('region', { name: 'Budgets' })
  await budgets.getByText('No budgets beside the monthly cap').waitFor()
  await add(budgets)
  expect(await findStructureViolations(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Cancel' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Members' }).getByText('$0.00 of $10.00 used').nth(4).waitFor()
  await opened.settled()
})

test('the tokens are those of the organisation until the reader switches back', async () => {
  await page.goto(`${site.gateway.url}/token`)
  await page.getByText('Carol').first().waitFor()
  await button('Acting for Acme').click()
  await page.getByRole('menuitemradio', { name: 'Personal account' }).click()
  await button('Switch organisation').waitFor()
  await page.getByText('Carol').first().waitFor({ state: 'hidden' })
  await opened.settled()
})

test('the link of an invitation leads to the organisation whoever has yet to register', async () => {
  const { id } = await anna.call(createOrganization, { body: { name: 'Bureau' } })
  const people = [{ name: 'Frida' }]
  const [frida] = await resume(site.gateway.url, { ...anna, organization: id }).call(addMembers, {
    body: { people },
  })
  await openAs(undefined)
  await page.goto(`${site.gateway.url}/join?invitation=${frida?.invitation}`)
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Username', { exact: true }).fill('frida')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByLabel('Repeat the password').fill('a long password')
  await button('Sign up').click()
  await page.getByLabel('Username or email').fill('frida')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await button('Sign in').click()
  await page.getByText('You are invited to Bureau with the role Member').waitFor()
  await button('Join').click()
  await page.getByRole('heading', { level: 1, name: 'Bureau' }).waitFor()
  await button('Acting for Bureau').waitFor()
  await opened.settled()
})
