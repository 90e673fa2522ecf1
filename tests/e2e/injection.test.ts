import { beforeAll, describe, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { addUser } from '../harness/add-user.ts'
import { describeConsole, openAs, opened, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { loadScreens } from '../harness/screens.ts'
import { setOptions } from '../harness/set-options.ts'

const RUN = 'window.__owned=1'
/** Sets `window.__owned` when a browser runs it. */
const INJECTIONS: readonly string[] = [
  `<script>${RUN}</script>`,
  `<ScRiPt>${RUN}</sCrIpT>`,
  `<script src="data:text/javascript,${RUN}"></script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=x onerror="${RUN}" style="x">`,
  `<img/src=x/onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<math><mtext><img src=x onerror=${RUN}></mtext></math>`,
  `<math><maction actiontype="statusline#http://x" xlink:href="javascript:${RUN}">x</maction></math>`,
  `<iframe src="javascript:parent.__owned=1"></iframe>`,
  `<iframe srcdoc="<script>parent.__owned=1</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<body onload=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>x</details>`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<form><button formaction="javascript:${RUN}">x</button></form>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="jAvAsCrIpT:${RUN}">x</a>`,
  `<a href="java&#x09;script:${RUN}">x</a>`,
  `<a href="&#106;avascript:${RUN}">x</a>`,
  `<a href=" data:text/html,<script>${RUN}</script>">x</a>`,
  `[x](javascript:${RUN})`,
  `![x](x"onerror="${RUN})`,
  `<base href="javascript:${RUN}//">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<link rel=stylesheet href="javascript:${RUN}">`,
  `<style>@import "javascript:${RUN}";</style>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<select><template><img src=x onerror=${RUN}></template></select>`,
  `"><script>${RUN}</script>`,
  `'-${RUN}-'`,
  `</title><script>${RUN}</script>`,
  `</textarea><img src=x onerror=${RUN}>`,
  `\${${RUN}}{{constructor.constructor('${RUN}')()}}`,
]
const ALL = INJECTIONS.join('\n\n')

const paths = (await loadScreens()).map(({ path }) => path)

/** Images of hostile texts do not exist. */
describeConsole({ hasProblems: true })

beforeAll(async () => {
  await setOptions(site.root, {
    Notice: ALL,
    HomePageContent: ALL,
    About: ALL,
    Footer: ALL,
    SystemName: INJECTIONS[0] ?? '',
  })
  for (const [index, injection] of INJECTIONS.entries()) {
    const name = injection.slice(0, 100)
    await addLabChannel(site.root, site.lab, { provider: 'openai', models: [`m${index}`, name], name })
  }
  await addToken(site.root, { name: '<img src=x onerror=x()>' })
  await addUser(site.gateway, { username: `"><svg onload=${RUN}>`, wallet: 1 })
})

/** Finds event handlers, script links and elements that must not exist in a page. */
const DANGERS = `[...document.querySelectorAll('*')].flatMap(element => {
  const found = [...element.attributes]
    .filter(({ name, value }) => /^on/i.test(name) || /^[\\s\\u0000-\\u0020]*(javascript|data:text\\/html)/i.test(value))
    .map(({ name, value }) => element.tagName + ' ' + name + '=' + value)
  const isForeign = ['OBJECT', 'EMBED', 'BASE'].includes(element.tagName) || element.hasAttribute('srcdoc')
  return isForeign ? [...found, element.tagName] : found
})`

/** One window shows all pages to a reader: a new one costs more than the page. */
describe.each(['an administrator', 'a visitor'])('shown to %s', reader => {
  let dialogs = 0

  beforeAll(async () => {
    await openAs(reader === 'a visitor' ? undefined : site.root)
    page.on('dialog', dialog => {
      dialogs += 1
      void dialog.dismiss()
    })
  })

  test.each(paths)('%s runs no script from texts of operators, users or providers', async path => {
    await page.goto(site.gateway.url + path)
    await opened.settled()
    expect(await page.evaluate('window.__owned')).toBeUndefined()
    expect(await page.evaluate(DANGERS)).toEqual([])
    expect(dialogs).toBe(0)
  })
})

test('rejects links that a browser would run as a script', async () => {
  for (const link of [`javascript:${RUN}`, ` java\tscript:${RUN}`, 'data:text/html,x', 'VBScript:x'])
    for (const [key, value] of [
      ['Logo', link],
      ['TopUpLink', link],
      ['ChatLink', link],
      ['Chats', JSON.stringify([{ x: link }])],
    ]) {
      const { envelope } = await site.root.send(putOptions, { body: { key, value } })
      expect([key, link, envelope.code]).toEqual([key, link, 'invalid_parameter'])
    }
  for (const value of ['https://x.example/a.png', '/logo.png', 'data:image/png;base64,AA==', ''])
    expect((await site.root.send(putOptions, { body: { key: 'Logo', value } })).envelope.success).toBe(true)
})

test('shows the hostile texts as text, so that the other tests examine pages that contain them', async () => {
  await openAs(site.root)
  await page.goto(`${site.gateway.url}/channel`)
  await opened.settled()
  expect(await page.content()).toContain('&lt;')
})
