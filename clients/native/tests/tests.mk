# The tests of the core without I/O (unit-test) and with hostile servers (wire-test), of the library through
# anechoic.h (library-test), and the conformance client. Part of the Makefile.

support := $(patsubst tests/support/%.cpp,$(OUT)/tests/support/%.o,$(wildcard tests/support/*.cpp))
unit := $(patsubst tests/unit/%.cpp,$(OUT)/tests/unit/%.o,$(wildcard tests/unit/*.cpp))
wire := $(patsubst tests/wire/%.cpp,$(OUT)/tests/wire/%.o,$(wildcard tests/wire/*.cpp))
library_tests := $(patsubst tests/library/%.cpp,$(OUT)/tests/library/%.o,$(wildcard tests/library/*.cpp))
compile_test = @mkdir -p $(@D) && $(compile) -fvisibility=default -Itests/support

test: $(OUT)/unit-test $(OUT)/wire-test $(OUT)/library-test $(OUT)/first-caller $(OUT)/reloader $(OUT)/conformance-client

$(OUT)/tests/%.o: tests/%.cpp $(headers)
	$(compile_test) $(warnings) -c -o $@ $<

$(OUT)/unit-test: $(unit) $(OUT)/EventQueue.o
$(OUT)/wire-test: $(wire)
$(OUT)/unit-test $(OUT)/wire-test: $(support) $(OUT)/core.a
	$(compile) -o $@ $(filter %.o,$^) $(OUT)/core.a $(shell pkg-config --libs $(packages))

# Its malloc and the like must be found before libc's, so it exports them. It registers the messages of
# proto/ under their own names, as a program that has compiled proto/ itself.
$(OUT)/library-test: $(library_tests) $(support) $(OUT)/tests/own/audio.pb.o $(library) install-links
	$(compile) -rdynamic -o $@ $(filter %.o,$^) -L$(OUT) -lanechoic -Wl,-rpath,'$$ORIGIN' -lprotobuf

$(OUT)/tests/own/audio.pb.o: $(proto)/anechoic/v1/audio.proto
	@mkdir -p $(@D)
	protoc --proto_path=$(proto)/anechoic/v1 --cpp_out=$(@D) $<
	$(compile) -c -o $@ $(@D)/audio.pb.cc

# A program that was compiled with the header of version 0.1.
$(OUT)/first-caller: tests/library/first-caller.c abi/0.1/anechoic.h $(library) install-links
	$(CC) $(CFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -Wall -Wextra -Werror -Iabi/0.1 -o $@ $< -L$(OUT) -lanechoic -Wl,-rpath,'$$ORIGIN'

# A program that loads and unloads the library.
$(OUT)/reloader: tests/library/reloader.c include/anechoic.h
	$(CC) $(CFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -Wall -Wextra -Werror -Iinclude -o $@ $<

$(OUT)/conformance-client: tests/conformance-client/main.cpp $(library) install-links
	$(compile) $(warnings) -o $@ $< -L$(OUT) -lanechoic -Wl,-rpath,'$$ORIGIN'
