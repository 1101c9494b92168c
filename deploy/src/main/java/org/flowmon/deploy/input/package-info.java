/** Where commands take flows from: files, standard input, followed logs, topics of others. */
@NullMarked
package org.flowmon.deploy.input;

import org.jspecify.annotations.NullMarked;
