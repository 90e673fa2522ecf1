import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { CopyButton, IconButton } from '../buttons/buttons.tsx'
import { useKitText } from '../text/kit-text.ts'

const MASK = '••••••••••••'

interface SecretFieldProps {
  readonly secret: string
  readonly label: string
  /** Stay readable before and after the mask. */
  readonly head?: string
  readonly tail?: string
}

/** A secret with reveal and copy. The mask has a fixed length. */
export function SecretField({ secret, label, head = '', tail = '' }: SecretFieldProps) {
  const t = useKitText()
  const [isShown, setShown] = useState(false)
  return (
    <div className="flex min-h-9 items-center gap-1 rounded-control border border-line bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 font-mono text-small break-all">
        {isShown ? secret : `${head}${MASK}${tail}`}
      </code>
      <IconButton
        label={`${isShown ? t('hide') : t('show')} · ${label}`}
        aria-pressed={isShown}
        icon={isShown ? EyeOff : Eye}
        size="small"
        onClick={() => setShown(!isShown)}
      />
      <CopyButton text={secret} label={`${t('copy')} · ${label}`} />
    </div>
  )
}
