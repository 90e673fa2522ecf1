import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The key of releases in install.sh. */
const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/

/**
 * Signs releases with RELEASE_SIGNING_KEY, an Ed25519 key as PEM, whose other half is in install.sh. A dry run without it uses
 * a key of its own, and puts the other half into its copy of the script.
 */
export function createSigner({ isDry, scriptFile, key = process.env.RELEASE_SIGNING_KEY }) {
  if (!key && !isDry) throw new Error('RELEASE_SIGNING_KEY is needed: a release is signed')
  const script = readFileSync(scriptFile, 'utf8')
  const privateKey = key ? createPrivateKey(key) : generateKeyPairSync('ed25519').privateKey
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).trim()
  if (!isDry && PUBLIC_KEY.exec(script)?.[0] !== publicKey)
    throw new Error('RELEASE_SIGNING_KEY does not belong to the key in install.sh')
  return {
    writeScript: folder => writeFileSync(join(folder, 'install.sh'), script.replace(PUBLIC_KEY, publicKey)),
    signChecksums(folder) {
      const sums = readFileSync(join(folder, 'SHA256SUMS'))
      writeFileSync(join(folder, 'SHA256SUMS.sig'), sign(null, sums, privateKey))
    },
  }
}
