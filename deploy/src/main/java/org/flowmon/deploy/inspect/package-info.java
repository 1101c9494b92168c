/** flowmon inspect: facts from the files of an archive and about the archive as a whole. */
@NullMarked
package org.flowmon.deploy.inspect;

import org.jspecify.annotations.NullMarked;
