import { expect, test } from 'bun:test'
import { carrySignature, readCarriedSignature } from './carried-signatures.ts'

test('reads a carried signature again, also after a client wrote its bytes anew', () => {
  const signature = 'EqoB+/CkgI??>>ÿ'
  const carried = carrySignature(signature)
  expect(readCarriedSignature(carried)).toBe(signature)
  expect(readCarriedSignature(Buffer.from(carried, 'base64').toString('base64url'))).toBe(signature)
})

test.each([undefined, null, 5, '', 'gAAAAABo', 'EqoBCkgIARABGAIi', 'AVSoXO4a'])('%p is not carried', own => {
  expect(readCarriedSignature(own)).toBeUndefined()
})
