import { GatewayError } from '../core/errors.ts'

const HANDLE_CHARS = 22

/** Stands for an id or encrypted content that only the account can read that made it. Always 22 characters. */
export const toHandle = (idOrContent: string): string =>
  new Bun.CryptoHasher('sha256').update(idOrContent).digest('base64url').slice(0, HANDLE_CHARS)

/** For an id of what an account keeps. */
export const idNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `未找到 ID ${JSON.stringify(id)}：只能使用您自己的请求创建的容器和文件；管理员可通过 UnknownAccountIds 放行其他 ID`,
    en: `the ID ${JSON.stringify(id)} was not found: only containers and files that your own requests made can be used; administrators can let others through (UnknownAccountIds)`,
  })
