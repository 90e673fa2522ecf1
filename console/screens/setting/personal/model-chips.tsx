import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadError } from '../../../app/api/load-error.tsx'
import { readStored, writeStored } from '../../../app/preferences/local-store.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { copyText } from '../../../ui/buttons/copy-button.tsx'
import { SearchBox } from '../../../ui/data/filter/filter-bar.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { Tag } from '../../../ui/data/tag.tsx'
import { useText } from '../../../ui/text/text.ts'
import { toast } from '../../../ui/overlays/toast.tsx'
import { modelsQuery } from './queries.ts'
import { personalText } from './text.ts'

const FIRST = 10

/** The models that this user may call; a click copies a name. */
export function ModelChips() {
  const t = useText(personalText)
  const { data: models, error, isFetching, refetch } = useQuery(modelsQuery)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(() => readStored('open-models') === 'on')
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!models) return <Skeleton className="h-16 w-full" />
  if (models.length === 0) return <p className="text-muted">{t('noModels')}</p>
  const found = models.filter(model => model.toLowerCase().includes(typed.toLowerCase()))
  const shown = isOpen || typed !== '' ? found : found.slice(0, FIRST)
  const flip = () => {
    writeStored('open-models', isOpen ? undefined : 'on')
    setOpen(!isOpen)
  }
  const copy = async (model: string) => {
    if (await copyText(model)) toast('success', t('copied', { what: model }))
  }
  return (
    <>
      {models.length > FIRST && (
        <SearchBox isMono label={t('searchModels')} value={typed} onSearch={setTyped} />
      )}
      <ul className="flex flex-wrap gap-2 coarse:gap-y-5">
        {shown.map(model => (
          <li key={model} className="max-w-full">
            <Tag isMono hint={t('copyModel')} onClick={() => void copy(model)}>
              {model}
            </Tag>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="text-muted">{t('noModelFound')}</p>}
      {typed === '' && models.length > FIRST && (
        <Button look="link" className="-ml-3.5 justify-self-start" aria-expanded={isOpen} onClick={flip}>
          {isOpen ? t('fewerModels') : t('moreModels', { count: models.length - FIRST })}
        </Button>
      )}
    </>
  )
}
