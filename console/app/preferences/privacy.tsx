import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CopyButton, IconButton } from '../../ui/buttons/buttons.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from './local-store.ts'

const masked = createStore(readStored('masked') === 'true')

/** Whether amounts, names and keys are hidden from onlookers. Copying still copies the real value. */
export const useIsMasked = (): boolean => useStore(masked)

export function toggleMask(): void {
  const next = !masked.get()
  writeStored('masked', next ? 'true' : undefined)
  masked.set(next)
}

const MASK = '••••'

/** Personal data such as a name or an email; hidden while amounts are. */
export function PrivateText({ children }: { readonly children: string }) {
  return useIsMasked() ? MASK : children
}

interface SecretCellProps {
  /** The secret, or a function that fetches it when it is wanted; undefined: it cannot be had. */
  readonly secret: string | (() => Promise<string | undefined>)
  /** Enough characters to recognise the secret. */
  readonly masked: string
  /** Fully masked; shown while amounts are hidden. */
  readonly hidden: string
  readonly labels: { readonly show: string; readonly hide: string; readonly copy: string }
}

/** A masked secret in a table row, with reveal and copy. Hiding amounts also hides a revealed secret. */
export function SecretCell({ secret, masked, hidden, labels }: SecretCellProps) {
  const isPrivate = useIsMasked()
  const [shown, setShown] = useState<string>()
  const isShown = shown !== undefined
  useEffect(() => {
    if (isPrivate) setShown(undefined)
  }, [isPrivate])
  const reveal = async () => setShown(typeof secret === 'string' ? secret : await secret())
  return (
    <span className="flex items-center gap-0.5 coarse:gap-3">
      <code className="mr-1 font-mono text-caption whitespace-nowrap">
        {shown ?? (isPrivate ? hidden : masked)}
      </code>
      <IconButton
        label={isShown ? labels.hide : labels.show}
        icon={isShown ? EyeOff : Eye}
        aria-pressed={isShown}
        size="small"
        onClick={() => (isShown ? setShown(undefined) : void reveal())}
      />
      <CopyButton text={secret} label={labels.copy} />
    </span>
  )
}
