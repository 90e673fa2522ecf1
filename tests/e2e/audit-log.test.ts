import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { setOptions } from '../harness/set-options.ts'

const MODEL = 'gpt-4o-mini'
let anna: AdminClient

describeConsole()

beforeAll(async () => {
  anna = await addUser(site.gateway, { username: 'anna', wallet: 1000 })
  await setOptions(site.root, { ModelPrice: { [MODEL]: 0.15 } })
  await setOptions(site.root, { ModelPrice: { [MODEL]: 0.3 } })
})

beforeEach(() => openAs(site.root))

const sheet = () => page.getByRole('dialog')

describe('the audit log', () => {
  test('tells in three clicks who changed a price', async () => {
    await page.goto(`${site.gateway.url}/token`)
    await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Search what was sent or changed').first().fill(MODEL)
    const change = page.locator('tbody tr[data-row]', { hasText: `${MODEL}: 0.15 → 0.3` })
    await change.getByRole('link').first().click()
    await sheet().getByText('root', { exact: true }).waitFor()
    await sheet().getByText('127.0.0.1').waitFor()
    const changed = sheet().getByRole('row', { name: `${MODEL} 0.15 0.3` })
    await changed.waitFor()
    await sheet().getByRole('button', { name: 'History of this record' }).click()
    await page.getByText('1-2 of 2').waitFor()
    expect(new URL(page.url()).searchParams.get('target')).toBe('ModelPrice')
  })

  test('says when nothing matches, and clears the filters', async () => {
    await page.goto(`${site.gateway.url}/audit?actor=nobody`)
    await page.getByText('No matching entries').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await page.locator('tbody tr[data-row]').first().waitFor()
  })

  test('says that an entry of the address is not on the page', async () => {
    await page.goto(`${site.gateway.url}/audit?row=999999`)
    await sheet().getByText('This entry is not on this page').waitFor()
  })

  test('is not offered to users', async () => {
    await openAs(anna)
    await page.goto(`${site.gateway.url}/token`)
    await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  })
})
