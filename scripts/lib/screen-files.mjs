import { camelCase, pascalCase, titleCase } from './new-folder.mjs'

/** The files of a new screen, by their names. The page shows the reply of `endpoint`, which the contract beside it declares. */
export const screenFiles = (name, endpoint) => ({
  'index.tsx': screenSource(name),
  'text.ts': textSource(name),
  'page.tsx': endpoint ? queryingPageSource(name, endpoint) : emptyPageSource(name),
})

function screenSource(name) {
  const title = titleCase(name)
  return `import { Shapes } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/${name}',
  role: 'user',
  title: { zh: '${title}', en: '${title}' },
  nav: { section: 'use', order: 900, icon: Shapes },
  load: async () => (await import('./page.tsx')).${pascalCase(name)}Page,
})
`
}

function textSource(name) {
  const title = titleCase(name)
  return `import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '${title}',
  empty: '暂无内容',
  emptyHelp: '页面已创建，请添加内容。',
}

const en: English<typeof zh> = {
  title: '${title}',
  empty: 'Nothing here yet',
  emptyHelp: 'The page is ready for its content.',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
`
}

function emptyPageSource(name) {
  return `import { Shapes } from 'lucide-react'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useScreenText } from './text.ts'

export function ${pascalCase(name)}Page() {
  const t = useScreenText()
  return (
    <>
      <PageHeader title={t('title')} />
      <EmptyState icon={Shapes} title={t('empty')} text={t('emptyHelp')} />
    </>
  )
}
`
}

function queryingPageSource(name, endpoint) {
  return `import { queryOptions, useQuery } from '@tanstack/react-query'
import { Shapes } from 'lucide-react'
import { call } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { ${endpoint} } from '../contract.ts'
import { useScreenText } from './text.ts'

const ${camelCase(name)}Query = queryOptions({
  queryKey: ['${name}'],
  queryFn: ({ signal }) => call(${endpoint}, { signal }),
})

export function ${pascalCase(name)}Page() {
  const t = useScreenText()
  const { data, error, isFetching, refetch } = useQuery(${camelCase(name)}Query)
  return (
    <>
      <PageHeader title={t('title')} />
      {error && <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />}
      {data?.entries.length === 0 && <EmptyState icon={Shapes} title={t('empty')} text={t('emptyHelp')} />}
      <ul className="list-disc ps-5">
        {data?.entries.map(entry => (
          <li key={entry}>{entry}</li>
        ))}
      </ul>
    </>
  )
}
`
}
