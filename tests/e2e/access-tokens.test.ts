import { expect, test } from 'bun:test'
import { addUser } from '../harness/add-user.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'

describeConsole()

const button = (name: string) => page.getByRole('button', { name, exact: true })
const section = () => page.getByRole('region', { name: 'Access tokens', exact: true })

test('an access token is created with chosen permissions, works within them, and is deleted', async () => {
  const anna = await addUser(site.gateway, { username: 'anna', wallet: 1000 })
  await openAs(anna)
  await page.goto(`${site.gateway.url}/setting?section=access-tokens`)
  await section().scrollIntoViewIfNeeded()
  await button('Create access token').click()
  const dialog = page.getByRole('dialog', { name: 'Create access token' })
  await dialog.getByLabel('Name').fill('deployment')
  await dialog.getByText('Custom', { exact: true }).click()
  await dialog.getByLabel('Resource token').selectOption('Read')
  await dialog.getByRole('button', { name: 'Create access token' }).click()
  const made = page.getByRole('dialog', { name: 'Access token created' })
  await made.getByRole('button', { name: 'Show · Access token' }).click()
  const token = await made.locator('code').innerText()
  await button('I have saved it').click()
  const call = async (path: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(anna.userId) }
    const response = await fetch(site.gateway.url + path, { method, headers })
    return ((await response.json()) as { code?: string }).code ?? 'success'
  }
  expect(await call('/api/token/')).toBe('success')
  expect(await call('/api/user/self')).toBe('auth.scope_missing')
  await section().getByText('token:read').waitFor()
  await button('Delete the access token deployment').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await section().getByText('token:read').waitFor({ state: 'detached' })
  expect(await call('/api/token/')).toBe('auth.invalid_access_token')
  await opened.settled()
})
