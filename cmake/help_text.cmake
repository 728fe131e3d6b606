# cmake -DPAGES=... -DFOLDER=... -DOUT=... -P help_text.cmake: one text of all pages, each after a line with a form feed
# and its path.
string(ASCII 12 form_feed)
file(WRITE ${OUT} "")
foreach(page IN LISTS PAGES)
  file(READ ${FOLDER}/${page} text)
  file(APPEND ${OUT} "${form_feed} ${page}\n${text}\n")
endforeach()
