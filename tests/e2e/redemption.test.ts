import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  createRedemptions,
  deleteRedemption,
  listRedemptions,
  type RedemptionDraft,
  redeem,
} from '#features/redemption-codes/contract.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'

describeConsole()

beforeEach(async () => {
  for (const { id } of await codes()) await site.root.call(deleteRedemption, { params: { id } })
  await openAs(site.root)
})

const codes = async () => (await site.root.call(listRedemptions, { query: { p: 1, page_size: 100 } })).items
const make = (draft: Partial<RedemptionDraft>) =>
  site.root.call(createRedemptions, { body: { name: 'gift', quota: 500_000, count: 1, ...draft } })
const rows = () => page.locator('tbody tr')
const sheet = () => page.getByRole('dialog')

async function openCodes(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/redemption${search}`)
  await page.locator('h1', { hasText: 'Redemption codes' }).waitFor()
}

describe('creating', () => {
  test('creates a batch and offers it as a text file with one code per line', async () => {
    await openCodes()
    await page.getByText('No redemption codes yet').waitFor()
    await page.getByRole('button', { name: 'New codes' }).first().click()
    await sheet().getByLabel('Name').fill('spring/2026')
    await sheet().getByRole('button', { name: '$10', exact: true }).click()
    await sheet().getByLabel('Number of codes').fill('3')
    await sheet().getByText('Total: $30.00').waitFor()
    await sheet().getByRole('button', { name: 'Create 3' }).click()

    const dialog = page.getByRole('dialog', { name: '3 codes created' })
    const arriving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download spring/2026.txt' }).click()
    const download = await arriving
    expect(download.suggestedFilename()).toBe('spring_2026.txt')
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    const made = await codes()
    expect(lines.toSorted()).toEqual(made.map(code => code.key).toSorted())
    expect(made.map(code => code.quota)).toEqual([5_000_000, 5_000_000, 5_000_000])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('3 unused, $30.00 in total').waitFor()
  })

  test('names a code without a name after its amount', async () => {
    await openCodes('?edit=new')
    await sheet().getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Download $0.20.txt' }).waitFor()
    expect((await codes()).map(code => code.quota)).toEqual([100_000])
  })

  test('shows validation errors, keeps the input and sends nothing', async () => {
    await openCodes('?edit=new')
    await sheet().getByLabel('Name').fill('x'.repeat(21))
    await sheet().getByLabel('Quota').fill('0')
    await sheet().getByLabel('Number of codes').fill('101')
    await sheet().getByRole('button', { name: 'Create' }).click()
    await sheet().getByRole('alert').getByText('3 fields need your attention').waitFor()
    expect(await sheet().getByLabel('Number of codes').inputValue()).toBe('101')
    expect(await codes()).toEqual([])
  })
})

describe('a redemption code', () => {
  test('can be edited only while unused and enabled from its sheet', async () => {
    await make({ name: 'old' })
    await openCodes()
    await page.getByRole('button', { name: 'Disable old' }).click()
    await page.getByText('old disabled').waitFor()
    await page.getByRole('button', { name: 'View old' }).click()
    await sheet().getByText('Enable a disabled code before you edit it.').waitFor()
    await sheet().getByRole('button', { name: 'Enable' }).click()
    await sheet().getByLabel('Name').fill('new')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Code saved').waitFor()
    expect((await codes()).map(({ name, status }) => [name, status])).toEqual([['new', 1]])
  })

  test('shows who used it and can then be neither edited nor enabled', async () => {
    const [code] = await make({ name: 'taken' })
    await site.root.call(redeem, { body: { key: code } })
    await openCodes()
    expect(await page.getByRole('button', { name: 'Enable taken' }).isDisabled()).toBe(true)
    expect(await page.getByRole('link', { name: `Open user ${site.root.userId}` }).count()).toBe(1)
    await page.getByRole('button', { name: 'View taken' }).click()
    await sheet().getByText('A used code can no longer be edited.').waitFor()
    expect(await sheet().getByRole('textbox').count()).toBe(0)
  })

  test('is masked until revealed', async () => {
    const [code = ''] = await make({ name: 'secret' })
    await openCodes()
    const row = rows().first()
    await row.getByText(`${code.slice(0, 4)}••••`).waitFor()
    expect(await row.textContent()).not.toContain(code)
    await page.getByRole('button', { name: 'Show the code of secret' }).click()
    await row.getByText(code).waitFor()
  })

  test('is deleted after a confirmation that names it', async () => {
    await make({ name: 'doomed' })
    await openCodes()
    await page.getByRole('button', { name: 'Delete doomed' }).click()
    await page
      .getByRole('dialog', { name: 'Delete code doomed?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByText('doomed deleted').waitFor()
    expect(await codes()).toEqual([])
  })
})

describe('the list', () => {
  test('searches by name prefix, filters by status and keeps both in the URL', async () => {
    await make({ name: 'spring', count: 2 })
    await make({ name: 'summer' })
    await openCodes()
    await page.getByLabel('Search ID or name').fill('spring')
    await page.getByText('1-2 of 2').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('spring')
    await page.goto(`${site.gateway.url}/redemption?status=3`)
    await page.getByText('No matching codes').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('1-3 of 3').waitFor()
  })

  test('copies only a selection and disables the selected codes together', async () => {
    const [a = ''] = await make({ name: 'a' })
    const [b = ''] = await make({ name: 'b' })
    await openCodes()
    await rows().first().waitFor()
    await page.getByRole('button', { name: 'Copy selected' }).click()
    await page.getByText('Select at least one code').waitFor()
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByRole('button', { name: 'Copy selected' }).first().click()
    await page.getByText('2 codes copied').waitFor()
    const copied: string = await page.evaluate('window.copied')
    expect(copied.split('\n').map(line => line.split(/\s+/).at(-1))).toEqual([b, a])
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('2 codes updated').waitFor()
    expect((await codes()).map(code => code.status)).toEqual([2, 2])
  })

  test('returns to the previous page after the last row of the last page is deleted', async () => {
    await make({ name: 'many', count: 11 })
    await openCodes('?p=2')
    await page.getByText('11-11 of 11').waitFor()
    await page.getByRole('button', { name: 'Delete many' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1-10 of 10').waitFor()
  })
})
