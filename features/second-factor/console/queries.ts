import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { translatorOf } from '#console/ui/text/text.ts'
import {
  addPasskey,
  confirmTotp,
  createOwnRecoveryCodes,
  listOwnFactors,
  removeOwnFactor,
  startNewPasskey,
  startTotp,
} from '../contract.ts'
import { text } from './text.ts'

const t = translatorOf(text)

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: ({ signal }) => call(listOwnFactors, { signal }),
})

export const fetchNewApp = (name: string) => call(startTotp, { body: { name } })

export const sendFirstCode = (code: string) => call(confirmTotp, { body: { code } })

/** Lets the browser create a passkey and adds it. */
export async function createPasskey(name: string): Promise<readonly string[]> {
  const request = await call(startNewPasskey, {})
  const { startRegistration } = await import('@simplewebauthn/browser')
  const passkey = await startRegistration({ optionsJSON: { ...request, ...CREATION } }).catch(
    (cause: unknown) => {
      throw new Error(t('passkeyFailed'), { cause })
    },
  )
  const body = { name, passkey: { ...passkey, clientExtensionResults: {} } }
  return (await call(addPasskey, { body })).recovery_codes
}

/** Algorithms by their numbers in COSE: Ed25519, ECDSA on P-256, RSA. A passkey that the browser can find signs in alone. */
const CREATION = {
  pubKeyCredParams: [-8, -7, -257].map(alg => ({ alg, type: 'public-key' as const })),
  timeout: 300_000,
  attestation: 'none' as const,
  authenticatorSelection: {
    residentKey: 'preferred' as const,
    userVerification: 'preferred' as const,
  },
}

/** After a change of the factors: calls that had to wait for the first one work now. */
export function useFactorChanges() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries()
  return {
    refresh: onSettled,
    remove: useMutation({
      mutationFn: (id: number) => call(removeOwnFactor, { params: { id } }),
      onSettled,
    }),
    newCodes: useMutation({ mutationFn: () => call(createOwnRecoveryCodes, {}), onSettled }),
  }
}
