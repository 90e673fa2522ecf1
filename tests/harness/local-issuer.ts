import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { openLocalServer } from '#server/testing/local-server.ts'

const KEY_ID = 'one'

/** An issuer of identity tokens, as a cluster or a CI system is one. */
export interface LocalIssuer {
  readonly url: string
  /** A token of ten minutes for this workload. */
  sign(claims: { readonly sub: string; readonly aud: string }): Promise<string>
  close(): Promise<void>
}

export async function openLocalIssuer(): Promise<LocalIssuer> {
  const server = openLocalServer()
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256' }
  server.handlers['/.well-known/openid-configuration'] = () =>
    Response.json({ issuer: server.url, jwks_uri: `${server.url}/keys` })
  server.handlers['/keys'] = () => Response.json({ keys: [key] })
  return {
    url: server.url,
    sign: claims =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
        .setIssuer(server.url)
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => server.close(),
  }
}
