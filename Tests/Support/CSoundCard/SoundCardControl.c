// The control type "soundcard". Its key `file` names a text that has a line for each boolean element:
//
//   CARD 0 1 Headphone Jack
//   MIXER 0 1 Capture Switch
//
// which is the interface, the index, the value and the name. A file that is written anew causes events. A card
// whose file is gone is unplugged.

// The macros of ALSA for plug-ins ask for it.
#define PIC
#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { most_elements = 32 };

struct element {
  snd_ctl_elem_iface_t interface;
  unsigned index;
  long value;
  char name[44];
  unsigned news;  // The events that wait.
};

struct control {
  snd_ctl_ext_t plug;
  char *path;
  int count;
  struct element elements[most_elements];
};

static int read_elements(const char *path, struct element *elements) {
  FILE *file = fopen(path, "re");
  if (!file) return -ENODEV;
  int count = 0;
  char interface[8];
  while (count < most_elements) {
    struct element *new = &elements[count];
    *new = (struct element){0};
    if (fscanf(file, "%7s %u %ld %43[^\n]", interface, &new->index, &new->value, new->name) != 4) break;
    new->interface = strcmp(interface, "CARD") ? SND_CTL_ELEM_IFACE_MIXER : SND_CTL_ELEM_IFACE_CARD;
    count++;
  }
  fclose(file);
  return count;
}

static int is_same(const struct element *left, const struct element *right) {
  return left->interface == right->interface && left->index == right->index &&
         !strcmp(left->name, right->name);
}

// Reads the file again, and notes the events.
static int refresh(struct control *this) {
  struct element now[most_elements];
  int count = read_elements(this->path, now);
  if (count < 0) return count;
  for (int index = 0; index < count; index++) {
    now[index].news = SND_CTL_EVENT_MASK_ADD;
    for (int old = 0; old < this->count; old++)
      if (is_same(&now[index], &this->elements[old]))
        now[index].news = this->elements[old].value != now[index].value
                              ? SND_CTL_EVENT_MASK_VALUE
                              : this->elements[old].news;
  }
  memcpy(this->elements, now, sizeof now);
  this->count = count;
  return 0;
}

static void name_element(const struct element *element, snd_ctl_elem_id_t *id) {
  snd_ctl_elem_id_set_interface(id, element->interface);
  snd_ctl_elem_id_set_name(id, element->name);
  snd_ctl_elem_id_set_index(id, element->index);
}

static int control_count(snd_ctl_ext_t *plug) { return ((struct control *)plug->private_data)->count; }

static int control_list(snd_ctl_ext_t *plug, unsigned offset, snd_ctl_elem_id_t *id) {
  struct control *this = plug->private_data;
  if ((int)offset >= this->count) return -EINVAL;
  name_element(&this->elements[offset], id);
  return 0;
}

static snd_ctl_ext_key_t control_find(snd_ctl_ext_t *plug, const snd_ctl_elem_id_t *id) {
  struct control *this = plug->private_data;
  unsigned number = snd_ctl_elem_id_get_numid(id);
  if (number > 0 && (int)number <= this->count) return number - 1;
  for (int index = 0; index < this->count; index++)
    if (this->elements[index].interface == snd_ctl_elem_id_get_interface(id) &&
        this->elements[index].index == snd_ctl_elem_id_get_index(id) &&
        !strcmp(this->elements[index].name, snd_ctl_elem_id_get_name(id)))
      return (snd_ctl_ext_key_t)index;
  return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int control_attribute(snd_ctl_ext_t *plug, snd_ctl_ext_key_t key, int *type, unsigned *access,
                             unsigned *count) {
  (void)plug;
  (void)key;
  *type = SND_CTL_ELEM_TYPE_BOOLEAN;
  *access = SND_CTL_EXT_ACCESS_READ;
  *count = 1;
  return 0;
}

static int control_read(snd_ctl_ext_t *plug, snd_ctl_ext_key_t key, long *value) {
  struct control *this = plug->private_data;
  if (access(this->path, F_OK) != 0) return -ENODEV;
  *value = this->elements[key].value;
  return 0;
}

static int control_read_event(snd_ctl_ext_t *plug, snd_ctl_elem_id_t *id, unsigned *mask) {
  struct control *this = plug->private_data;
  char changes[4096];
  int hasChanged = 0;
  while (read(plug->poll_fd, changes, sizeof changes) > 0) hasChanged = 1;
  int code = hasChanged ? refresh(this) : 0;
  if (code < 0) return code;
  for (int index = 0; index < this->count; index++) {
    struct element *element = &this->elements[index];
    if (!element->news) continue;
    name_element(element, id);
    *mask = element->news;
    element->news = 0;
    return 1;
  }
  return -EAGAIN;
}

static void control_close(snd_ctl_ext_t *plug) {
  struct control *this = plug->private_data;
  close(plug->poll_fd);
  free(this->path);
  free(this);
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = control_close,
    .elem_count = control_count,
    .elem_list = control_list,
    .find_elem = control_find,
    .get_attribute = control_attribute,
    .read_integer = control_read,
    .read_event = control_read_event,
};

// Watches the folder of the file, because the file is replaced.
static int watch(const char *path) {
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  char *copy = strdup(path);
  if (watch >= 0 && copy) inotify_add_watch(watch, dirname(copy), IN_MOVED_TO | IN_DELETE);
  free(copy);
  return watch;
}

static const char *file_of(snd_config_t *configuration) {
  const char *file = NULL, *id;
  snd_config_iterator_t next, after;
  snd_config_for_each(next, after, configuration) {
    snd_config_t *entry = snd_config_iterator_entry(next);
    if (snd_config_get_id(entry, &id) >= 0 && !strcmp(id, "file"))
      snd_config_get_string(entry, &file);
  }
  return file;
}

SND_CTL_PLUGIN_DEFINE_FUNC(soundcard) {
  (void)root;
  const char *file = file_of(conf);
  if (!file) return -EINVAL;
  struct control *this = calloc(1, sizeof *this);
  if (!this || !(this->path = strdup(file))) {
    free(this);
    return -ENOMEM;
  }
  this->plug.poll_fd = watch(file);
  this->count = read_elements(file, this->elements);
  int code = this->count;
  if (code >= 0) {
    this->plug.version = SND_CTL_EXT_VERSION;
    this->plug.card_idx = -1;
    strcpy(this->plug.id, "Tests");
    strcpy(this->plug.driver, "soundcard");
    strcpy(this->plug.name, "A sound card of the tests");
    this->plug.callback = &callbacks;
    this->plug.private_data = this;
    code = snd_ctl_ext_create(&this->plug, name, mode);
  }
  if (code < 0) {
    control_close(&(snd_ctl_ext_t){.private_data = this, .poll_fd = this->plug.poll_fd});
    return code;
  }
  *handlep = this->plug.handle;
  return 0;
}

SND_CTL_PLUGIN_SYMBOL(soundcard);
