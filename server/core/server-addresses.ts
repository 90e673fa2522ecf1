/**
 * The addresses of several servers of one URL, each with one of its hosts: `postgres://user@first:5432,second/name`, as libpq
 * writes it (postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). Any other text is its only address.
 */
export function listServerAddresses(url: string): readonly string[] {
  const [, start = '', hosts = '', rest = ''] = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map(host => `${start}${host}${rest}`) : [url]
}
