import { Eye, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import type { Redemption } from '#contract/redemptions.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useText } from '../../ui/text.ts'
import { stateOf } from './code-state.ts'
import { text } from './text.ts'

interface CodeRowActionsProps {
  readonly code: Redemption
  readonly onOpen: (code: Redemption) => void
  readonly onToggle: (code: Redemption) => void
  readonly onDelete: (code: Redemption) => void
}

export function CodeRowActions({ code, onOpen, onToggle, onDelete }: CodeRowActionsProps) {
  const t = useText(text)
  const { name } = code
  const state = stateOf(code)
  const isUnused = state === 'unused'
  return (
    <>
      <IconButton
        label={t(isUnused ? 'edit' : 'view', { name })}
        icon={isUnused ? Pencil : Eye}
        size="small"
        onClick={() => onOpen(code)}
      />
      <IconButton
        label={t(isUnused ? 'disableNamed' : 'enableNamed', { name })}
        icon={isUnused ? PowerOff : Power}
        size="small"
        disabled={state === 'used' || state === 'unknown'}
        onClick={() => onToggle(code)}
      />
      <IconButton
        label={t('deleteNamed', { name })}
        icon={Trash2}
        size="small"
        className="text-danger"
        onClick={() => onDelete(code)}
      />
    </>
  )
}
