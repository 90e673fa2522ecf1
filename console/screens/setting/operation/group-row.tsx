import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { confirm } from '../../../ui/overlays/confirm.ts'
import { IconButton } from '../../../ui/buttons/button.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { Tag } from '../../../ui/data/tag.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { FigureInput } from './figure-input.tsx'
import { groupUseQuery } from './queries.ts'
import { operationText } from './text.ts'

interface GroupRowProps {
  readonly name: string
  readonly ratio: number | undefined
  readonly topUpRatio: number | undefined
  /** Undefined: users may not choose it. */
  readonly description: string | undefined
  readonly onRatio: (ratio: number) => void
  readonly onTopUpRatio: (ratio: number | undefined) => void
  readonly onDescription: (words: string | undefined) => void
  readonly onRemove: () => void
}

/** One group: everything that is kept of it in three options. */
export function GroupRow(props: GroupRowProps) {
  const { name, ratio, topUpRatio, description, onRatio, onTopUpRatio, onDescription, onRemove } = props
  const t = useText(operationText)
  const { data: use } = useQuery(groupUseQuery(name))
  const used = use && t('usedBy', { users: use.users, channels: use.channels })
  const remove = async () => {
    const isFree = use?.users === 0 && use.channels === 0
    const question = {
      title: t('removeGroupTitle', { name }),
      text: t('removeGroupText', { used: used ?? '?' }),
      action: t('removeGroup', { name }),
      isDanger: true,
    }
    if (isFree || (await confirm(question))) onRemove()
  }
  return (
    <tr className="border-b border-line">
      <th scope="row" className="px-1 py-2 text-left font-normal">
        <Tag hasSwatch>{name}</Tag>
      </th>
      <td className="px-1 py-2">
        <FigureInput
          label={t('ratioOf', { name })}
          value={ratio}
          onChange={value => value !== undefined && onRatio(value)}
        />
      </td>
      <td className="px-1 py-2">
        <FigureInput
          isOptional
          label={t('topUpRatioOf', { name })}
          placeholder="1"
          value={topUpRatio}
          onChange={onTopUpRatio}
        />
      </td>
      <td className="px-1 py-2">
        <Checkbox
          aria-label={t('selectableOf', { name })}
          checked={description !== undefined}
          onChange={event => onDescription(event.target.checked ? name : undefined)}
        />
      </td>
      <td className="px-1 py-2">
        <TextInput
          aria-label={t('descriptionOf', { name })}
          disabled={description === undefined}
          value={description ?? ''}
          onChange={event => onDescription(event.target.value)}
        />
      </td>
      <td className="px-1 py-2 text-caption whitespace-nowrap text-muted tabular">
        {used ?? <Skeleton className="h-4 w-24" />}
      </td>
      <td className="py-2 text-right">
        <IconButton
          label={t('removeGroup', { name })}
          icon={Trash2}
          size="small"
          className="text-danger"
          onClick={() => void remove()}
        />
      </td>
    </tr>
  )
}
