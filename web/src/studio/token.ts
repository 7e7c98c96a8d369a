// The token of this page. It is given once, in the fragment of the address, which browsers send to nobody; then it is kept
// for this tab, and the address on the page is without it.
const KEY = 'tenon.token'

function fromAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}

export function takeToken(): string {
  const given = fromAddress()
  if (given === null) return sessionStorage.getItem(KEY) ?? ''
  sessionStorage.setItem(KEY, given)
  history.replaceState(null, '', location.pathname)
  return given
}

export const token = takeToken()

// another link to the same server, opened in this tab
addEventListener('hashchange', () => fromAddress() !== null && location.reload())
