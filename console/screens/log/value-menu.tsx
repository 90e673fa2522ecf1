import { Copy, Filter, FilterX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSetSearchParams, useSearchParams } from '../../app/router/search-params.ts'
import { copyText } from '../../ui/buttons/copy-button.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { MenuButton, type MenuItems } from '../../ui/buttons/popup-buttons.tsx'
import { useText } from '../../ui/text/text.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { exclude, type FilterField, includeOnly } from './exclusions.ts'
import { LogSearch } from './search.ts'
import { text } from './text.ts'

interface ValueMenuProps {
  readonly field: FilterField
  readonly value: string
  /** What the value is called. */
  readonly name?: string
  readonly className?: string
  readonly children?: ReactNode
}

/** A value of a row: the list can be narrowed to it, or to all others. */
export function ValueMenu({ field, value, name = value, className = '', children = name }: ValueMenuProps) {
  const t = useText(text)
  const kit = useKitText()
  const search = useSearchParams(LogSearch)
  const setUrl = useSetSearchParams(LogSearch)
  const copy = async () => {
    if (await copyText(name)) toast('success', kit('copiedWhat', { what: name }))
  }
  const items: MenuItems = [
    [
      {
        label: t('onlyValue', { value: name }),
        icon: Filter,
        onSelect: () => setUrl({ ...includeOnly(field, value), p: undefined }),
      },
      {
        label: t('allBut', { value: name }),
        icon: FilterX,
        onSelect: () => setUrl({ ...exclude(search, field, value), p: undefined }),
      },
    ],
    [{ label: kit('copy'), icon: Copy, onSelect: () => void copy() }],
  ]
  return (
    <MenuButton look="text" label={t('filterBy', { value: name })} items={items} className={className}>
      {children}
    </MenuButton>
  )
}
