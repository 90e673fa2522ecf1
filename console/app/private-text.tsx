import { useMasked } from './mask.ts'

const MASK = '••••'

/** A name or address of a person; hidden while amounts are. */
export function PrivateText({ children }: { readonly children: string }) {
  return useMasked() ? MASK : children
}
