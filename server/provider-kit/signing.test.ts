import { expect, test } from 'bun:test'
import { signV4 } from './signing.ts'

const SIGNING = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'bedrock',
  url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/invoke',
  body: '{"anthropic_version":"bedrock-2023-05-31","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}',
  nowSeconds: Date.UTC(2025, 5, 1, 12) / 1000,
}

test('matches the published test vector, with the path escaped twice', () => {
  expect(signV4(SIGNING)).toEqual({
    'content-type': 'application/json',
    'x-amz-date': '20250601T120000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250601/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=d60dc276aa53444cfb37ab5804009498db6db40526573eeca67ac0898d189a0c',
  })
})

test('signs the session token of temporary keys', () => {
  const headers = signV4({ ...SIGNING, sessionToken: 'token' })
  expect(headers['x-amz-security-token']).toBe('token')
  expect(headers.authorization).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,')
})

test('changes the signature when the body changes', () => {
  expect(signV4({ ...SIGNING, body: '{}' }).authorization).not.toBe(signV4(SIGNING).authorization)
})
