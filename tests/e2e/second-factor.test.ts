import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import { addUser, USER_PASSWORD } from '../harness/add-user.ts'
import { describeConsole, openOnce, page, site } from '../harness/describe-console.ts'
import { setOptions } from '../harness/set-options.ts'

/** Passkeys are valid at names, never at addresses. */
const address = () => site.gateway.url.replace('127.0.0.1', 'localhost')

// A browser reports the responses that lead to the second factor as problems.
describeConsole({ hasProblems: true })

beforeAll(async () => {
  await setOptions(site.root, { ServerAddress: address() })
})
beforeEach(() => openOnce(undefined))

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })

/** The browser creates and uses passkeys as if its owner had touched a sensor. */
async function addAuthenticator(): Promise<void> {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal' } as const
  await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...options,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function typePassword(username: string): Promise<void> {
  await page.goto(`${address()}/login`)
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(USER_PASSWORD)
  await button('Sign in').click()
}

/** Forgets who is signed in, and keeps the authenticator. */
async function signOut(): Promise<void> {
  await page.context().clearCookies()
  await page.evaluate('localStorage.removeItem("user")')
}

const signedIn = () => page.waitForURL('**/token')

async function openFactors(): Promise<void> {
  await page.goto(`${address()}/setting?section=factors`)
  await page.getByRole('region', { name: 'Second factors' }).scrollIntoViewIfNeeded()
}

/** Adds an app. Returns its secret. */
async function addApp(): Promise<string> {
  await button('Add an authenticator app').click()
  await button('Next').click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  await page.getByRole('button', { name: 'Show · Key' }).click()
  const secret = (await dialog('Add an authenticator app').locator('code').innerText()).trim()
  await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate())
  await button('Add').click()
  return secret
}

async function keepCodes(): Promise<readonly string[]> {
  await button('I have saved them').waitFor()
  const codes = await dialog('Recovery codes').getByRole('listitem').allInnerTexts()
  await button('I have saved them').click()
  return codes
}

test('a passkey is added, completes a sign-in, confirms and signs in alone', async () => {
  await addUser(site.gateway, { username: 'anna', wallet: 0 })
  await addAuthenticator()
  await typePassword('anna')
  await signedIn()
  await openFactors()
  await button('Add a passkey').click()
  await page.getByLabel('Name', { exact: true }).fill('Laptop')
  await button('Add').click()
  expect(await keepCodes()).toHaveLength(10)
  await page.getByText('Laptop').waitFor()

  await signOut()
  await typePassword('anna')
  await dialog('Second factor').waitFor()
  await button('Use a passkey').click()
  await signedIn()

  await signOut()
  await page.goto(`${address()}/login`)
  await button('Sign in with a passkey').click()
  await signedIn()
})

test('an app is added, and its wrong codes are rejected in words', async () => {
  await addUser(site.gateway, { username: 'bert', wallet: 0 })
  await typePassword('bert')
  await signedIn()
  await openFactors()
  await addApp()
  const [recovery = ''] = await keepCodes()

  await signOut()
  await typePassword('bert')
  const code = page.getByLabel('Code or recovery code')
  await code.fill('000000')
  await dialog('Second factor').getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('the code is wrong or has expired').waitFor()
  await code.fill(recovery)
  await dialog('Second factor').getByRole('button', { name: 'Sign in' }).click()
  await signedIn()
})

test('whoever must have a factor is led to where one is added, and goes on afterwards', async () => {
  await addUser(site.gateway, { username: 'cora', wallet: 0 })
  // The super administrator, too: nothing changes an option after this.
  await setOptions(site.root, { SecondFactorRequired: 'everybody' })
  await typePassword('cora')
  await page.waitForURL('**/setting**')
  await page.getByRole('region', { name: 'Second factors' }).scrollIntoViewIfNeeded()
  await addApp()
  await keepCodes()
  await page.goto(`${address()}/token`)
  await page.getByText('No tokens yet').waitFor()
})
