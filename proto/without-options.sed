# Removes the options of options.proto from a file: sed -E -f proto/without-options.sed proto/anechoic/v1/events.proto
/^import "anechoic\/v1\/options\.proto";/d
/^ *option \(\w+\) = \{$/,/^ *\};$/d
/^ *option \(\w+\) = /d
s/ \[\(\w+\) = \w+\];/;/
