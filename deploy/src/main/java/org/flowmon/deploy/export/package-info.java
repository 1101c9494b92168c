/**
 * flowmon export: writes the flows of an archive, or the rows of an answer, wholly or not at all;
 * start reading at ExportCommand.
 */
@NullMarked
package org.flowmon.deploy.export;

import org.jspecify.annotations.NullMarked;
