import { beforeAll, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { createAccessToken } from '#features/access-tokens/contract.ts'
import { insertIdentity } from '#features/oauth/server/openid/queries.ts'
import { withFactorTables } from '#features/second-factor/server/tables.ts'
import { updateUser } from '#features/users/contract.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'

describeConsole()

let anna: AdminClient
beforeAll(async () => {
  anna = await addUser(site.gateway, { username: 'anna', wallet: 1_000_000 })
  await anna.call(createToken, { body: { name: 'production', unlimited_quota: true } })
  await anna.call(createAccessToken, { body: { name: 'deployment', scopes: ['token:read'] } })
})

const region = (name: string) => page.getByRole('region', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('one page shows tokens, usage, statement, sessions, access tokens and history of a user', async () => {
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/user/${anna.userId}`)
  await page.getByRole('heading', { name: 'User anna' }).waitFor()
  await region('Tokens').getByText('production').waitFor()
  await region('Statement of the last 30 days').getByText('Closing balance').waitFor()
  for (const name of ['Sessions', 'Access tokens', 'Changes of this user', 'Actions by this user'])
    await region(name).scrollIntoViewIfNeeded()
  await region('Access tokens').getByText('deployment').waitFor()
  await region('Actions by this user').getByText('Create a token').waitFor()
  await region('Second factors').getByText('No second factor').waitFor()
  await opened.settled()
})

test('a token, a session and an access token of the user are ended there', async () => {
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/user/${anna.userId}`)
  await button('Disable the token production').click()
  await button('Enable the token production').waitFor()
  await region('Access tokens').scrollIntoViewIfNeeded()
  await button('Delete the access token deployment').click()
  await region('Access tokens').getByText('No access tokens').waitFor()
})

test('an unknown user is told as such, and leads back to all users', async () => {
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/user/99999`)
  await page.getByText('No such user').waitFor()
  await button('All users').click()
  await page.waitForURL('**/user')
})

test('the sheet of a user leads to the page of the user, and to each change', async () => {
  await site.root.call(updateUser, { body: { id: anna.userId, display_name: 'Anna' } })
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/user/edit/${anna.userId}`)
  await region('Change history').getByRole('link', { name: 'Update a user' }).first().click()
  await page.waitForURL(`**/audit?*target=${anna.userId}*`)
  await page.goBack()
  await page.getByRole('link', { name: 'User page' }).click()
  await page.getByRole('heading', { name: 'User anna' }).waitFor()
})

test('lost factors and an account at a provider are removed there, and each asks before', async () => {
  await inDatabase(site.gateway, async db => {
    const columns = { user_id: anna.userId, created_at: 1 }
    await withFactorTables(db)
      .insertInto('second_factors')
      .values({ ...columns, kind: 'totp', name: 'Lost phone', credential_id: null, is_confirmed: 1 })
      .execute()
    await insertIdentity(db, { ...columns, provider: 'company', subject: 'anna@company' })
  })
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/user/${anna.userId}`)
  await button('Unlink company').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('company unlinked').waitFor()
  await region('Second factors').scrollIntoViewIfNeeded()
  await region('Second factors').getByText('Lost phone').waitFor()
  await button('Remove all factors').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove all factors' }).click()
  await region('Second factors').getByText('No second factor').waitFor()
})
