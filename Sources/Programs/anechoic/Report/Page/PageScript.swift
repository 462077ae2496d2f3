/// The script of the page: one position for all players and all plots.
enum PageScript {
  static let text = """
    (() => {
      'use strict';
      const duration = Number(document.body.dataset.duration);
      const players = [...document.querySelectorAll('audio')];
      const cells = [...document.querySelectorAll('.cell')];
      const heads = [...document.querySelectorAll('.head')];
      const clock = document.getElementById('clock');
      let position = 0;
      let chosen = players[0];

      const words = (seconds) => {
        const minutes = Math.floor(seconds / 60);
        const rest = (seconds - 60 * minutes).toFixed(2);
        return minutes + ':' + rest.padStart(5, '0');
      };
      const show = (seconds) => {
        position = Math.min(Math.max(0, seconds), duration);
        const place = 100 * position / duration + '%';
        for (const head of heads) {
          head.setAttribute('x1', place);
          head.setAttribute('x2', place);
        }
        for (const cell of cells) cell.setAttribute('aria-valuenow', position.toFixed(2));
        clock.textContent = words(position);
        const share = position / duration;
        if (share < left || share > left + 1 / zoom) view(zoom, position);
      };

      // The part of the time that all plots show: 1 / zoom of it, from the share `left` on.
      const [zoomOut, whole, zoomIn] = document.querySelectorAll('#zoom button');
      const range = document.getElementById('range');
      const most = Math.min(64, duration / 0.5);
      const labels = [...document.querySelectorAll('svg.labels')].map((node) =>
        ({ node, whole: [...node.childNodes] }));
      let [zoom, left] = [1, 0];
      const view = (wanted, middle) => {
        zoom = Math.min(Math.max(1, wanted), Math.max(1, most));
        left = Math.min(Math.max(0, middle / duration - 0.5 / zoom), 1 - 1 / zoom);
        document.documentElement.style.setProperty('--zoom', zoom);
        document.documentElement.style.setProperty('--left', left);
        const ends = [left * duration, (left + 1 / zoom) * duration];
        range.textContent = zoom > 1 ? ends.map(words).join(' to ') : '';
        zoomOut.disabled = whole.disabled = zoom === 1;
        zoomIn.disabled = zoom >= most;
        for (const { node, whole } of labels) {
          node.replaceChildren(...zoom > 1 ? ticks(node, ends) : whole);
        }
      };
      const ticks = (node, [first, last]) => {
        const steps = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
        const step = steps.find((step) => (last - first) / step <= 8) ?? 7200;
        const made = [];
        for (let index = Math.ceil(first / step); index * step <= last; index++) {
          const text = document.createElementNS(node.namespaceURI, 'text');
          text.setAttribute('x', 100 * index * step / duration + '%');
          text.setAttribute('dy', '1.1em');
          text.setAttribute('text-anchor', 'middle');
          text.textContent = words(index * step);
          made.push(text);
        }
        return made;
      };
      const zoomBy = (factor) => view(zoom * factor, position);
      const place = (player) => {
        if (player.readyState > 0) player.currentTime = Math.min(position, player.duration);
      };
      const seek = (seconds) => {
        show(seconds);
        players.forEach(place);
      };
      const follow = () => {
        if (chosen.paused) return;
        show(chosen.currentTime);
        requestAnimationFrame(follow);
      };
      // A pause may come before the sound has begun. The browser then rejects the promise of play.
      const start = (player) => player.play().catch(() => {});
      const choose = (player) => {
        const wasPlaying = players.some((other) => !other.paused);
        for (const other of players) if (other !== player) other.pause();
        chosen = player;
        place(player);
        if (wasPlaying) start(player);
      };

      for (const player of players) {
        player.addEventListener('loadedmetadata', () => place(player));
        player.addEventListener('play', () => {
          if (chosen !== player) choose(player);
          requestAnimationFrame(follow);
        });
        player.addEventListener('seeked', () => {
          // A seek of the script itself has the position already.
          const end = Math.min(position, player.duration);
          if (player === chosen && Math.abs(player.currentTime - end) > 0.05) {
            seek(player.currentTime);
          }
        });
        player.addEventListener('pointerdown', () => { chosen = player; });
      }
      for (const cell of cells) {
        const point = (event) => {
          const box = cell.getBoundingClientRect();
          seek(duration * (event.clientX - box.left) / box.width);
        };
        cell.addEventListener('pointerdown', (event) => {
          if (event.button !== 0) return;
          cell.setPointerCapture(event.pointerId);
          point(event);
        });
        cell.addEventListener('pointermove', (event) => {
          if (cell.hasPointerCapture(event.pointerId)) point(event);
        });
      }
      for (const button of document.querySelectorAll('button[data-time]')) {
        button.addEventListener('click', () => seek(Number(button.dataset.time)));
      }
      document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest('audio, button') && !/^[-+1-9]$/.test(event.key)) return;
        const step = event.shiftKey ? 10 : 1;
        if (event.key === 'ArrowLeft') seek(position - step);
        else if (event.key === 'ArrowRight') seek(position + step);
        else if (event.key === 'Home') seek(0);
        else if (event.key === '+') zoomBy(2);
        else if (event.key === '-') zoomBy(0.5);
        else if (event.key === ' ' && chosen) chosen.paused ? start(chosen) : chosen.pause();
        else if (players[event.key - 1]) choose(players[event.key - 1]);
        else return;
        event.preventDefault();
      });
      zoomOut.addEventListener('click', () => zoomBy(0.5));
      whole.addEventListener('click', () => view(1, position));
      zoomIn.addEventListener('click', () => zoomBy(2));
      document.getElementById('zoom').hidden = false;
      view(1, 0);
      show(0);
    })();
    """
}
