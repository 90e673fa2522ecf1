import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const UP = 0x01
const UV = 0x04
const AT = 0x40
const COUNTER_BYTES = 4
const CREDENTIAL_BYTES = 16
/** Labels of a COSE key on P-256. Source: RFC 9053, section 7.1. */
const COSE = { kty: 1, alg: 3, curve: -1, x: -2, y: -3 }

/** What the authenticator says; the tests say it wrong. */
interface Ceremony {
  readonly challenge: string
  readonly origin?: string
  readonly rpId?: string
  readonly counter?: number
  readonly isVerified?: boolean
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64 = (data: Uint8Array) => Buffer.from(data).toString('base64url')

/** An authenticator in software, on P-256, valid at `origin`. */
export function createSoftPasskey(siteOrigin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(CREDENTIAL_BYTES)
  const siteId = new URL(siteOrigin).hostname
  const cose = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [COSE.kty, 2],
      [COSE.alg, -7],
      [COSE.curve, 1],
      [COSE.x, new Uint8Array(Buffer.from(x, 'base64url'))],
      [COSE.y, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  )

  function authData({ rpId = siteId, counter = 0, isVerified = true }: Ceremony, isNew: boolean): Buffer {
    const count = Buffer.alloc(COUNTER_BYTES)
    count.writeUInt32BE(counter)
    const flags = UP | (isVerified ? UV : 0) | (isNew ? AT : 0)
    const length = Buffer.from([0, CREDENTIAL_BYTES])
    const created = isNew ? [Buffer.alloc(16), length, id, Buffer.from(cose)] : []
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...created])
  }
  const clientData = (type: string, { challenge, origin = siteOrigin }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const named = { id: base64(id), rawId: base64(id), type: 'public-key', clientExtensionResults: {} } as const

  return {
    id: named.id,
    create(ceremony: Ceremony) {
      const attestation = new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData(ceremony, true))],
      ])
      const clientDataJSON = base64(clientData('webauthn.create', ceremony))
      return {
        ...named,
        response: { clientDataJSON, attestationObject: base64(isoCBOR.encode(attestation)) },
      }
    },
    use(ceremony: Ceremony) {
      const client = clientData('webauthn.get', ceremony)
      const data = authData(ceremony, false)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...named,
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(data),
          signature: base64(signature),
        },
      }
    },
  }
}
