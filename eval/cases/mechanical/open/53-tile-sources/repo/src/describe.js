// Short texts for the status line of the map.

export function describeFallback(fallback) {
  const suspended = new Set(fallback.suspended);
  return fallback.sources
    .map(({ name }) => {
      const count = fallback.served.get(name) ?? 0;
      return `${name} ${count}${suspended.has(name) ? ' (left out)' : ''}`;
    })
    .join(', ');
}

export function describeCache({ tiles, limit, hits }) {
  const share = Math.floor((tiles.size * 100) / limit);
  return `${tiles.size} tiles (${share} %), ${hits} hits`;
}

export function describeError(error) {
  return error.name === 'NotFound' ? 'no tile here' : error.message;
}
