import { expect, test } from 'bun:test'
import { readPeerOptions } from './options.ts'

test('a peer at an address keeps equals signs of its key', () => {
  const { peers } = readPeerOptions([
    '--peer',
    'name=bifrost,url=http://127.0.0.1:8080/v1/chat/completions,key=a=b==,model=openai/gpt-4o-mini,pid=12',
  ])
  expect(peers).toEqual([
    {
      name: 'bifrost',
      url: 'http://127.0.0.1:8080/v1/chat/completions',
      key: 'a=b==',
      model: 'openai/gpt-4o-mini',
      pid: 12,
    },
  ])
})

test('installed peers can be left out', () => {
  expect(readPeerOptions(['--without', 'litellm']).installed).toEqual(['portkey'])
})

const WRONG = [
  { args: ['--peer', 'name=x'], says: 'url' },
  { args: ['--peer', 'name=x,url=nowhere'], says: 'url' },
  { args: ['--peer', 'name=x,url=http://127.0.0.1/,token=y'], says: 'token' },
  { args: ['--without', 'bifrost'], says: 'portkey and litellm' },
  { args: ['--upstream-port', '70000'], says: '--upstream-port' },
]

for (const { args, says } of WRONG) {
  test(`${args.join(' ')} is refused with what is wrong`, () => {
    expect(() => readPeerOptions(args)).toThrow(says)
  })
}
